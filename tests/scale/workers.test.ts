import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { request, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Server } from '@gantry/mcp/server'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { configFromValue } from '../../packages/gateway/src/config/index.ts'
import { serveHttp, type HttpTarget } from '../support/http-targets.ts'
import { modernRequest } from '../support/raw-client.ts'
import { gantry, serveFrom, type SourceProcess } from '../support/source-process.ts'

const COUNTER = fileURLToPath(new URL('./fixtures/counter-server.mjs', import.meta.url))
const WORKERS = 2
let folder: string
let target: HttpTarget
let gateway: SourceProcess

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gantry-workers-test-'))
  target = await serveHttp(
    new Server({
      name: 'words',
      version: '1.0.0',
      tools: { hello: { run: () => 'hello' }, few: { run: () => 'one of few' } },
    }),
  )
  const file = join(folder, 'gantry.json')
  await writeFile(
    file,
    JSON.stringify({
      mcpServers: {
        words: { url: target.url },
        counter: { command: process.execPath, args: [COUNTER], env: { REVISIONS: '2025-11-25' } },
      },
      limits: { rates: [{ name: 'few', for: ['tools:words/few'], rate: '1/h', burst: 5 }] },
      server: { workers: WORKERS, drainDelay: '2s' },
      stateDir: join(folder, 'state'),
      telemetry: { logLevel: 'warn' },
    }),
  )
  gateway = await serveFrom(file)
  await vi.waitFor(async () => expect(await serving()).toBe(WORKERS), { timeout: 60_000 })
})
afterAll(async () => {
  await gateway?.kill()
  await target?.close()
  await rm(folder, { recursive: true, force: true })
})

/** Processes that the supervisor has now. The loader of the sources has helpers, which are none of them. */
function workersOf({ child }: SourceProcess): number[] {
  const { stdout } = spawnSync('ps', ['--ppid', String(child.pid), '-o', 'pid=,args='], { encoding: 'utf8' })
  const lines = stdout.split('\n').filter((line) => /gantry\.[jt]s/.test(line))
  return lines.map((line) => Number.parseInt(line, 10))
}

/** One request on a connection of its own, so that any worker may get it. */
async function alone(
  path: string,
  {
    method = 'POST',
    headers = {},
    body,
  }: { method?: string; headers?: Record<string, string>; body?: object } = {},
): Promise<IncomingMessage> {
  const asked = request(`${gateway.url}${path}`, {
    method,
    agent: false,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
  })
  asked.end(body && JSON.stringify(body))
  const [answer] = await once(asked, 'response')
  return answer
}

async function textOf(answer: IncomingMessage): Promise<string> {
  let text = ''
  for await (const piece of answer) text += piece
  return text
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
async function* messagesOf(answer: IncomingMessage): AsyncGenerator<any> {
  let rest = ''
  for await (const piece of answer) {
    rest += piece
    const lines = rest.split('\n')
    rest = lines.pop()!
    for (const line of lines) if (line.startsWith('data: {')) yield JSON.parse(line.slice(6))
  }
  if (rest.startsWith('{')) yield JSON.parse(rest)
}

async function openLegacy(): Promise<Record<string, string>> {
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: { elicitation: {} },
    clientInfo: { name: 'old', version: '1' },
  }
  const opened = await alone('/mcp', { body: { jsonrpc: '2.0', id: 1, method: 'initialize', params } })
  const headers = {
    'mcp-session-id': String(opened.headers['mcp-session-id']),
    'mcp-protocol-version': '2025-11-25',
  }
  await textOf(opened)
  await textOf(
    await alone('/mcp', { headers, body: { jsonrpc: '2.0', method: 'notifications/initialized' } }),
  )
  return headers
}

/** Asks a tool that asks back; the answer goes by another connection. */
async function greet(headers: Record<string, string>): Promise<unknown> {
  const params = { name: 'counter_greet', arguments: {} }
  const answer = await alone('/mcp', {
    headers,
    body: { jsonrpc: '2.0', id: 2, method: 'tools/call', params },
  })
  for await (const message of messagesOf(answer)) {
    if (message.method === 'elicitation/create') {
      const result = { action: 'accept', content: { name: 'you' } }
      await textOf(await alone('/mcp', { headers, body: { jsonrpc: '2.0', id: message.id, result } }))
    }
    if (message.id === 2) return message.result?.content?.[0]?.text ?? message
  }
}

const hello = () => modernRequest(gateway.endpoint, 'tools/call', { name: 'words_hello', arguments: {} })

async function metric(name: string): Promise<number> {
  const text = await textOf(await alone('/metrics', { method: 'GET' }))
  return Number(new RegExp(`^${name}(?:\\{\\})? (\\S+)$`, 'm').exec(text)?.[1])
}

/** Each of them allows so many sessions. */
const serving = async (): Promise<number> => (await metric('gantry_limit\\{of="sessions"\\}')) / 10_000

it('is one gateway: any worker answers, a program runs once, and the numbers are those of all', async () => {
  const before = await metric('gantry_requests_total')
  const body = (name: string) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name,
      arguments: {},
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'new', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  })
  const call = async (name: string) => {
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name }
    return JSON.parse(await textOf(await alone('/mcp', { headers, body: body(name) }))).result.content[0].text
  }
  const counts: number[] = []
  for (let index = 0; index < 6; index += 1) counts.push(Number(await call('counter_count')))
  expect(counts).toEqual([1, 2, 3, 4, 5, 6])
  for (let index = 0; index < 6; index += 1) expect(await call('words_hello')).toBe('hello')
  expect((await metric('gantry_requests_total')) - before).toBe(12)
  expect(await metric('gantry_store_up')).toBe(1)
})

it('counts calls against a limit in all workers together', async () => {
  const few = async (): Promise<number> => {
    const params = { name: 'words_few', arguments: {} }
    const answer = await modernRequest(gateway.endpoint, 'tools/call', params, {
      headers: { connection: 'close' },
    })
    // The workers hear of it ten times a second.
    await new Promise((resolve) => setTimeout(resolve, 250))
    return answer.status
  }
  const seen: number[] = []
  for (let index = 0; index < 10; index++) seen.push(await few())
  expect(seen).toEqual([...Array(5).fill(200), ...Array(5).fill(429)])
})

it('a legacy session is one, whichever worker its requests reach, with questions in the middle of a call', async () => {
  const sessions = await Promise.all(Array.from({ length: 4 }, openLegacy))
  for (const session of sessions) {
    expect(await greet(session)).toBe('Hello, you!')
    const stream = await alone('/mcp', { method: 'GET', headers: session })
    expect(stream.statusCode).toBe(200)
    stream.destroy()
  }
  expect(await metric('gantry_sessions')).toBe(4)
  for (const headers of sessions)
    expect((await alone('/mcp', { method: 'DELETE', headers })).statusCode).toBeLessThan(300)
  expect(await metric('gantry_sessions')).toBe(0)
  for (const headers of sessions) {
    const id = headers['mcp-session-id']!
    const [bare] = id.split('~')
    // Without its mark, or with another one, the id leads to another worker.
    for (const other of [id, bare!, `${bare}~0`, `${bare}~1`]) {
      const asked = { ...headers, 'mcp-session-id': other }
      const again = await alone('/mcp', { headers: asked, body: { jsonrpc: '2.0', id: 3, method: 'ping' } })
      expect(again.statusCode, other).toBe(404)
    }
  }
  expect(await metric('gantry_sessions')).toBe(0)
})

it('finds the streams of the oldest clients from every worker', async () => {
  for (let index = 0; index < 4; index += 1) {
    const stream = await alone('/sse', { method: 'GET', headers: { accept: 'text/event-stream' } })
    const endpoint = await new Promise<string>((resolve) => {
      stream.once('data', (data) => resolve(/data: (\S+)/.exec(String(data))![1]!))
    })
    const params = {
      protocolVersion: '2024-11-05',
      capabilities: {},
      clientInfo: { name: 'oldest', version: '1' },
    }
    const answered = messagesOf(stream).next()
    const posted = await alone(endpoint, { body: { jsonrpc: '2.0', id: 1, method: 'initialize', params } })
    expect(posted.statusCode).toBe(202)
    expect((await answered).value).toMatchObject({ id: 1, result: { protocolVersion: '2024-11-05' } })
    stream.destroy()
  }
  // The client's end reaches the worker that has the stream.
  await expect.poll(() => metric('gantry_sessions')).toBe(0)
})

it('replaces a worker that was killed, and its sessions go on', async () => {
  const session = await openLegacy()
  for (const pid of workersOf(gateway).slice(0, 1)) {
    process.kill(pid, 'SIGKILL')
    await expect.poll(() => workersOf(gateway).includes(pid)).toBe(false)
  }
  await expect.poll(serving).toBe(WORKERS)
  await expect.poll(() => greet(session).catch(() => undefined)).toBe('Hello, you!')
})

it('answers connections that were handed to a worker which died before it took them', async () => {
  await expect.poll(serving).toBe(WORKERS)
  const [pid] = workersOf(gateway) as [number]
  process.kill(pid, 'SIGSTOP')
  const asked = Array.from({ length: 3 * WORKERS }, () => alone('/health', { method: 'GET' }))
  // The other one answers; one connection waits for the worker that stands still.
  await Promise.any(asked)
  process.kill(pid, 'SIGKILL')
  for (const answer of await Promise.all(asked)) expect(answer.statusCode).toBe(200)
  await expect.poll(serving).toBe(WORKERS)
})

/** The command waits until it is done. */
const byCommand = () => gantry(['reload', '--config', join(folder, 'gantry.json')])
const bySignal = async () => {
  process.kill(gateway.child.pid!, 'SIGHUP')
  return undefined
}

it.each([
  ['the command', byCommand],
  ['SIGHUP', bySignal],
])('a reload by %s replaces all workers, one after another, and no call fails', async (_, reload) => {
  await expect.poll(serving).toBe(WORKERS)
  const before = workersOf(gateway)
  const failures: unknown[] = []
  let isOver = false
  let calls = 0
  const load = async (): Promise<void> => {
    while (!isOver) {
      const answer = await hello().catch((error) => error)
      calls += 1
      if (answer.message?.result?.content?.[0]?.text !== 'hello') failures.push(answer.message ?? answer)
    }
  }
  const running = Promise.all(Array.from({ length: 6 }, load))
  const printed = await reload()
  const isReplaced = () =>
    workersOf(gateway).length === WORKERS && !workersOf(gateway).some((pid) => before.includes(pid))
  if (printed !== undefined) {
    expect(printed).toBe(`${WORKERS} workers replaced\n`)
    expect(isReplaced()).toBe(true)
  }
  await expect.poll(isReplaced, { timeout: 90_000, interval: 200 }).toBe(true)
  isOver = true
  await running
  expect(failures).toEqual([])
  expect(calls).toBeGreaterThan(20)
})

it('kills a worker that stands still, so that a reload goes on and its sessions are found', async () => {
  await expect.poll(serving).toBe(WORKERS)
  const sessions = await Promise.all(Array.from({ length: 4 }, openLegacy))
  const [pid] = workersOf(gateway) as [number]
  process.kill(pid, 'SIGSTOP')
  expect(await byCommand()).toBe(`${WORKERS} workers replaced\n`)
  expect(workersOf(gateway)).not.toContain(pid)
  expect(workersOf(gateway)).toHaveLength(WORKERS)
  for (const session of sessions) expect(await greet(session)).toBe('Hello, you!')
})

it('has one worker in each place when one dies while a reload is replacing it', async () => {
  await expect.poll(serving).toBe(WORKERS)
  const before = workersOf(gateway)
  const reloaded = byCommand()
  await expect.poll(() => workersOf(gateway).length, { interval: 20 }).toBe(WORKERS + 1)
  // The first that was started is replaced first.
  process.kill(before[0]!, 'SIGKILL')
  expect(await reloaded).toBe(`${WORKERS} workers replaced\n`)
  await expect.poll(serving).toBe(WORKERS)
  const after = workersOf(gateway)
  expect(after).toHaveLength(WORKERS)
  expect(after.filter((pid) => before.includes(pid))).toEqual([])
})

it('says that a reload failed when a new worker does not start, and the workers go on', async () => {
  const file = join(folder, 'gantry.json')
  const whole = await readFile(file, 'utf8')
  const before = workersOf(gateway)
  const tls = { cert: join(folder, 'missing.crt'), key: join(folder, 'missing.key') }
  await writeFile(file, JSON.stringify({ ...JSON.parse(whole), server: { workers: WORKERS, tls } }))
  try {
    await expect(byCommand()).rejects.toThrow(/A new worker does not start/)
  } finally {
    await writeFile(file, whole)
  }
  expect(workersOf(gateway)).toEqual(before)
  expect((await hello()).message).toMatchObject({ result: { content: [{ text: 'hello' }] } })
})

it('says that it drains while new connections still come in, and ends with all of its workers', async () => {
  const pids = workersOf(gateway)
  const ended = once(gateway.child, 'exit')
  gateway.child.kill('SIGTERM')
  const isReady = async (): Promise<string> => textOf(await alone('/ready', { method: 'GET' }))
  await expect.poll(isReady, { interval: 20 }).toContain('draining')
  expect((await ended)[0]).toBe(0)
  for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow()
})

it('refuses what workers cannot share', async () => {
  const refused = await configFromValue({ mcpServers: {}, server: { workers: 2 }, store: { kind: 'memory' } })
  expect(refused.ok ? [] : refused.problems.map(({ message }) => message)).toEqual([
    'Workers need a store that they share, and "store.kind" is memory',
  ])
})
