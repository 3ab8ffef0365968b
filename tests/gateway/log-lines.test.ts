import { fileURLToPath } from 'node:url'
import { afterEach, expect, it, vi } from 'vitest'
import { limitedLog } from '../../packages/gateway/src/telemetry/log.ts'
import { startReceiver } from '../support/otel/receiver.mjs'
import { lettersProgram } from '../support/letters-target.ts'
import { modernRequest } from '../support/raw-client.ts'
import { testGateway } from '../support/start-gateway.ts'

const CRASH = fileURLToPath(new URL('../fixtures/crash-server.mjs', import.meta.url))
const META = fileURLToPath(new URL('../fixtures/meta-server.mjs', import.meta.url))
const KEY = { name: 'ann', key: 'a-long-key-for-tests-0123456789' }
const HEADERS = { authorization: `Bearer ${KEY.key}` }

afterEach(() => {
  vi.restoreAllMocks()
})

function logged(): () => Record<string, unknown>[] {
  const lines: string[] = []
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    lines.push(String(text))
    return true
  })
  return () => lines.map((line) => JSON.parse(line))
}

it('says when a target ends or is killed, a call fails, a key is wrong, and the gateway stops', async () => {
  const lines = logged()
  const gateway = await testGateway(
    {
      mcpServers: { crash: { command: process.execPath, args: [CRASH], restart: { minDelay: 10 } } },
      auth: { apiKeys: [KEY] },
      telemetry: { logFormat: 'json' },
    },
    { logLevel: 'info' },
  )
  const call = (name: string) => modernRequest(gateway.endpoint, 'tools/call', { name }, { headers: HEADERS })
  await call('crash_crash')
  expect(lines()).toContainEqual(
    expect.objectContaining({
      level: 'warn',
      message: 'tools/call failed',
      target: 'crash',
      exchange: expect.any(Number),
      method: 'tools/call',
      name: 'crash_crash',
      principal: 'key:ann',
      client: 'raw-client',
      reason: 'exited',
      detail: expect.stringContaining('exited with code 7'),
    }),
  )
  const lost = () =>
    lines().filter((line) => line.target === 'crash' && line.reason === 'exited' && line.state)
  await expect.poll(() => lost().length).toBeGreaterThan(0)
  expect(lost()[0]).toMatchObject({ level: 'warn', detail: expect.stringContaining('code 7') })

  await call('no_such_tool')
  const unknown = { level: 'info', name: 'no_such_tool', code: -32602 }
  expect(lines()).toContainEqual(expect.objectContaining(unknown))

  const again = async () => (await call('crash_change')).message.result !== undefined
  await expect.poll(again).toBe(true)
  const pid = gateway.gateway.target('crash')!.main.connection!.process!.pid!
  process.kill(pid, 'SIGKILL')
  const killed = () => lost().some((line) => String(line.detail).includes('SIGKILL'))
  await expect.poll(killed).toBe(true)

  const before = lines().length
  for (let attempt = 0; attempt < 30; attempt++) {
    const headers = { authorization: `Bearer wrong-key-${attempt}` }
    expect((await modernRequest(gateway.endpoint, 'tools/list', {}, { headers })).status).toBe(401)
  }
  const refused = lines()
    .slice(before)
    .filter(({ message }) => message === 'A caller was refused')
  expect(refused).toHaveLength(5)
  expect(refused[0]).toMatchObject({ level: 'warn', status: 401, path: '/mcp' })
  expect(JSON.stringify(refused)).not.toContain('wrong-key')

  await gateway.close()
  expect(lines().map(({ message }) => message)).toContain('The gateway stops')
  expect(lines().at(-1)!.message).toBe('The gateway has stopped')
  for (const line of lines().filter(({ message }) => /^crash/.test(String(message)))) {
    expect(line.target).toBe('crash')
  }
})

it('counts the lines that it leaves out', async () => {
  const written: unknown[] = []
  const log = limitedLog((_, message, facts) => written.push([message, facts]), { lines: 2, period: 50 })
  for (let index = 0; index < 10; index++) log('warn', `line ${index}`)
  expect(written).toHaveLength(2)
  await expect
    .poll(() => written.at(-1))
    .toEqual([expect.stringContaining('8 more lines'), { leftOut: 8, event: 'lines-left-out' }])
  log('warn', 'again')
  expect(written.at(-1)).toEqual(['again', undefined])
})

it('says whose connection was ended because nothing was read, and how much waited', async () => {
  const lines = logged()
  const gateway = await testGateway(
    {
      mcpServers: { letters: lettersProgram },
      auth: { apiKeys: [KEY] },
      server: { limits: { stallTimeout: '300ms' } },
      telemetry: { logFormat: 'json' },
    },
    { logLevel: 'warn' },
  )
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const params = { name: 'letters_letters', arguments: { size: 30_000_000 }, _meta }
  const unread = await fetch(gateway.endpoint, {
    method: 'POST',
    headers: {
      ...HEADERS,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'letters_letters',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  })
  expect(unread.status).toBe(200)
  const cutOff = () => lines().filter(({ message }) => /^The client has read nothing/.test(String(message)))
  await expect.poll(() => cutOff().length).toBe(1)
  expect(cutOff()[0]).toMatchObject({
    level: 'warn',
    reader: expect.stringContaining('ann'),
    waiting: expect.any(Number),
  })
  await expect(unread.text()).rejects.toThrow()
  await gateway.close()
})

it('has the trace of a request, and on demand everything, with the stderr of targets', async () => {
  const lines = logged()
  const receiver = await startReceiver()
  const noisy = `process.stderr.write('\\u001b[31mhello\\u0007\\n'); await import(${JSON.stringify(CRASH)})`
  const gateway = await testGateway(
    {
      mcpServers: { crash: { command: process.execPath, args: ['--input-type=module', '-e', noisy] } },
      telemetry: { otlp: { endpoint: receiver.url } },
    },
    { logLevel: 'info', logFormat: 'json' },
  )
  const trace = 'a'.repeat(32)
  const meta = { traceparent: `00-${trace}-${'b'.repeat(16)}-01` }
  expect(gateway.toggleDebug()).toBe(true)
  await modernRequest(gateway.endpoint, 'tools/call', { name: 'crash_crash' }, { meta })
  const written = () => lines().filter(({ message }) => message === 'On stderr')
  await expect.poll(() => written().length).toBeGreaterThan(0)
  expect(written()[0]).toMatchObject({ level: 'debug', target: 'crash' })
  expect(lines()).toContainEqual(expect.objectContaining({ message: 'tools/call failed', trace }))
  expect(gateway.toggleDebug()).toBe(false)
  await gateway.close()
  await receiver.close()
})

it('says which request waits for approval, as in all lines of a request', async () => {
  const lines = logged()
  const receiver = await startReceiver()
  const key = 'key-of-ann-0123456789'
  const gateway = await testGateway(
    {
      mcpServers: { meta: { command: process.execPath, args: [META] } },
      auth: { apiKeys: [{ name: 'ann', key }] },
      policy: { rules: [{ name: 'asked', allow: ['tools:meta/*'], approve: { by: ['operator'] } }] },
      telemetry: { otlp: { endpoint: receiver.url } },
    },
    { logLevel: 'info', logFormat: 'json' },
  )
  const trace = 'c'.repeat(32)
  const call = modernRequest(
    gateway.endpoint,
    'tools/call',
    { name: 'meta_meta', arguments: {} },
    {
      headers: { authorization: `Bearer ${key}` },
      meta: { traceparent: `00-${trace}-${'b'.repeat(16)}-01` },
    },
  ).catch(() => {})
  const waits = () => lines().find(({ message }) => message === 'A call waits for approval')
  await expect.poll(waits).toMatchObject({ target: 'meta', trace, exchange: expect.any(Number) })
  await gateway.close()
  await call
  await receiver.close()
})
