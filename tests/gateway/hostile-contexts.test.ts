import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { resource, Server } from '@gantry/mcp/server'
import { checkSpans } from '../support/otel/check-spans.mjs'
import { startReceiver } from '../support/otel/receiver.mjs'
import { legacyRequest, modernRequest, openSession } from '../support/raw-client.ts'
import { testGateway, type TestGateway } from '../support/start-gateway.ts'

const META = fileURLToPath(new URL('../fixtures/meta-server.mjs', import.meta.url))
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = `00-${TRACE}-00f067aa0ba902b7-01`
const SECRET = 'ghp_pl4nted0123456789abcdef0123'

let gateway: TestGateway | undefined
let receiver: Awaited<ReturnType<typeof startReceiver>> | undefined
afterEach(async () => {
  await gateway?.close()
  await receiver?.close()
  gateway = undefined
})

async function start(): Promise<TestGateway> {
  receiver = await startReceiver()
  const program = (revisions: string) => ({
    command: process.execPath,
    args: [META],
    env: { REVISIONS: revisions },
  })
  gateway = await testGateway({
    mcpServers: { old: program('2025-11-25'), new: program('2026-07-28') },
    telemetry: { otlp: { endpoint: receiver.url } },
    audit: {},
  })
  return gateway
}

/** What the target was told, after a call by a client of an era. */
async function toldBy(era: string, target: string, meta: object): Promise<Record<string, string>> {
  const params = { name: `${target}_meta` }
  const { message } =
    era === 'modern'
      ? await modernRequest(gateway!.endpoint, 'tools/call', params, { meta })
      : await legacyRequest(
          gateway!.endpoint,
          'tools/call',
          { ...params, _meta: meta },
          { session: await openSession(gateway!.endpoint) },
        )
  return JSON.parse(message.result.content[0].text)
}

const PARENTS: Record<string, unknown> = {
  'a number': 7,
  null: null,
  'a list': [PARENT],
  nothing: '',
  'a long text': `${PARENT}-${'0'.repeat(1_000_000)}`,
  'control characters': `00-${TRACE}-00f067aa0ba902b7-01\r\nx: y`,
  'capital letters': PARENT.toUpperCase(),
  'zeros for the trace': `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
  'zeros for the span': `00-${TRACE}-${'0'.repeat(16)}-01`,
  'a forbidden version': PARENT.replace('00-', 'ff-'),
  'letters that are no digits': PARENT.replace('4bf9', 'zzzz'),
}

describe.each([
  ['modern', 'old'],
  ['modern', 'new'],
  ['legacy', 'old'],
  ['legacy', 'new'],
])('a %s client in front of a target of the %s era on stdio', (era, target) => {
  it('that names a parent which is none begins a trace of its own', async () => {
    await start()
    for (const [what, traceparent] of Object.entries(PARENTS)) {
      const told = await toldBy(era, target, { traceparent, tracestate: 'lost=1' })
      expect([what, told.traceparent]).toEqual([
        what,
        expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/),
      ])
      expect([what, told.traceparent!.includes(TRACE), told.tracestate]).toEqual([what, false, undefined])
    }
    await gateway!.close()
    expect(checkSpans(receiver!.spans)).toEqual([])
    expect(receiver!.spans.filter(({ traceId }) => traceId === TRACE)).toEqual([])
  })

  it('gives no more state and baggage than the standards ask for, and nobody who watches learns a secret', async () => {
    await start()
    const many = Array.from({ length: 5_000 }, (_, at) => `key${at}=value`).join(',')
    for (const [tracestate, baggage] of [
      [many, many],
      ['x'.repeat(2_000_000), '\u0000'.repeat(100_000)],
      [{ a: 1 }, ['b=1']],
      [7, 7],
    ]) {
      const told = await toldBy(era, target, { traceparent: PARENT, tracestate, baggage })
      expect([told.tracestate, told.baggage]).toEqual([undefined, undefined])
    }
    const passed = { tracestate: `vendor=${SECRET}`, baggage: `token=${SECRET}` }
    expect(await toldBy(era, target, { traceparent: PARENT, ...passed })).toMatchObject(passed)
    await gateway!.close()
    expect(receiver!.spans.filter(({ traceId }) => traceId === TRACE).length).toBeGreaterThan(4)
    expect(Buffer.concat(receiver!.raw).toString('latin1')).not.toContain('pl4nted')
  })
})

it('sends no secret that is the id of a request or the state of an HTTP request', async () => {
  await start()
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: SECRET, version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const response = await fetch(gateway!.endpoint, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'new_meta',
      traceparent: PARENT,
      tracestate: `vendor=${SECRET}`,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: SECRET,
      method: 'tools/call',
      params: { name: 'new_meta', _meta },
    }),
  })
  expect((await response.json()).id).toBe(SECRET)
  await gateway!.close()
  const server = receiver!.spans.find(({ kind, traceId }) => kind === 'SERVER' && traceId === TRACE)!
  expect(server.attributes['jsonrpc.request.id']).not.toContain('pl4nted')
  expect(Buffer.concat(receiver!.raw).toString('latin1')).not.toContain('pl4nted')
})

it('tells no stream the name of a tool, a prompt or a resource that is a secret', async () => {
  receiver = await startReceiver()
  const server = new Server({
    name: 'here',
    tools: { [SECRET]: { run: () => 'done' } },
    prompts: { [SECRET]: { run: () => 'done' } },
    resources: { one: resource({ uri: `memo://${SECRET}`, text: 'one' }) },
  })
  gateway = await testGateway(
    {
      mcpServers: { here: { module: 'here' } },
      telemetry: { otlp: { endpoint: receiver.url, bodies: true }, logFormat: 'json' },
      audit: { bodies: true, lists: true },
    },
    { embedded: new Map([['here', server]]) },
  )
  const { endpoint, url } = gateway
  for (const [method, params] of [
    ['tools/call', { name: `here_${SECRET}` }],
    ['prompts/get', { name: `here_${SECRET}` }],
    ['tools/call', { name: `made_up_${SECRET}` }],
    ['resources/read', { uri: `memo://made-up/${SECRET}` }],
  ] as const)
    await modernRequest(endpoint, method, params)
  const { message } = await modernRequest(endpoint, 'resources/list', {})
  await modernRequest(endpoint, 'resources/read', { uri: message.result.resources[0].uri })
  const metrics = await (await fetch(`${url}/metrics`)).text()
  const trail = gateway.gateway.audit!
  await trail.flush()
  const { folder } = trail.settings
  const audit = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')))
  await gateway.close()
  expect(metrics).toContain('mcp_server_operation_duration_seconds_count')
  expect(audit.join('')).toContain('"prompts/get"')
  const streams = { metrics, audit: audit.join(''), spans: Buffer.concat(receiver.raw).toString('latin1') }
  for (const [stream, text] of Object.entries(streams)) {
    const at = text.indexOf('pl4nted')
    expect([stream, at === -1 ? '' : text.slice(Math.max(0, at - 200), at + 50)]).toEqual([stream, ''])
  }
})
