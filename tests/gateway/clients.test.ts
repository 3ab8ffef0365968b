import { mkdtemp, rm } from 'node:fs/promises'
import { connect as connectSocket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { connect } from '@gantry/mcp/client'
import { Server, tool } from '@gantry/mcp/server'
import { memory } from '@gantry/mcp/testing'
import { legacyRequest, modernRequest, openSession } from '../support/raw-client.ts'
import { rawTarget, readRecord } from '../support/raw-target.ts'
import { testGateway, type TestGateway } from '../support/start-gateway.ts'

let dir: string
let gateway: TestGateway | undefined

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gantry-clients-'))
})
afterEach(async () => {
  await gateway?.close()
  await rm(dir, { recursive: true, force: true })
})

const record = (): string => join(dir, 'record.jsonl')
const received = async () => (await readRecord(record())).map(({ message }) => message)
const cancelled = async () => (await received()).filter((one) => one.method === 'notifications/cancelled')
/** A call that the target has not heard of would not be cancelled there. */
const called = async () => (await received()).some((one) => one.method === 'tools/call')
const slotsUsed = (): number => gateway!.gateway.target('raw')!.main.slots.used

describe('a client that goes away', () => {
  it('modern: takes its call with it, at the target that works on it', async () => {
    gateway = await testGateway({ mcpServers: { raw: rawTarget({ record: record() }) } })
    const abort = new AbortController()
    const call = modernRequest(gateway.endpoint, 'tools/call', { name: 'raw_hang' }, { signal: abort.signal })
    call.catch(() => {})
    await expect.poll(called).toBe(true)
    expect(slotsUsed()).toBe(1)
    abort.abort()
    await expect.poll(async () => (await cancelled()).length).toBe(1)
    await expect.poll(() => slotsUsed()).toBe(0)
    expect(gateway.gateway.exchanges.running).toEqual([])
  })

  it('legacy: a stream that breaks does not cancel, the end of its session does', async () => {
    gateway = await testGateway({ mcpServers: { raw: rawTarget({ record: record() }) } })
    const session = await openSession(gateway.endpoint)
    const abort = new AbortController()
    const params = { name: 'raw_hang' }
    legacyRequest(gateway.endpoint, 'tools/call', params, { session, signal: abort.signal }).catch(() => {})
    await expect.poll(called).toBe(true)
    expect(slotsUsed()).toBe(1)
    abort.abort()
    expect((await legacyRequest(gateway.endpoint, 'ping', {}, { session })).status).toBe(200)
    expect(slotsUsed()).toBe(1)
    await fetch(gateway.endpoint, { method: 'DELETE', headers: { 'mcp-session-id': session } })
    await expect.poll(async () => (await cancelled()).length).toBe(1)
  })

  it('half-open: a socket that sends half a request costs nobody else anything', async () => {
    gateway = await testGateway({ mcpServers: { raw: rawTarget({}) } })
    const { port } = new URL(gateway.url)
    const socket = connectSocket(Number(port), '127.0.0.1')
    socket.write(
      'POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"a',
    )
    await using client = await connect(gateway.endpoint)
    expect((await client.call('raw_pid')).text()).toMatch(/^\d+$/)
    socket.destroy()
  })
})

describe('a client that never answers', () => {
  it('lets its parked call expire: the target is refused and its request cancelled', async () => {
    gateway = await testGateway({
      mcpServers: { raw: rawTarget({ record: record() }) },
      server: { limits: { parkedFor: 300 } },
    })
    const asked = await modernRequest(gateway.endpoint, 'tools/call', { name: 'raw_ask' })
    const { requestState, inputRequests } = asked.message.result
    await expect.poll(async () => (await cancelled()).length).toBe(1)
    const refused = (await received()).find((one) => 'error' in one && one.method === undefined)
    expect(refused).toMatchObject({ error: { message: expect.stringMatching(/in time/) } })
    const inputResponses = { [Object.keys(inputRequests)[0]!]: { action: 'accept', content: {} } }
    const late = await modernRequest(gateway.endpoint, 'tools/call', {
      name: 'raw_ask',
      requestState,
      inputResponses,
    })
    expect(late.message.error).toMatchObject({ code: -32602 })
  })

  it('bounds the calls that wait: the target is told instead of kept', async () => {
    gateway = await testGateway({
      mcpServers: { raw: rawTarget({}, { isolation: 'call' }) },
      server: { limits: { parkedCalls: 1 } },
    })
    const first = await modernRequest(gateway.endpoint, 'tools/call', { name: 'raw_ask' })
    expect(first.message.result.resultType).toBe('input_required')
    const second = await modernRequest(gateway.endpoint, 'tools/call', { name: 'raw_ask' })
    expect(second.message.result.content[0].text).toMatch(/undefined$/)
  })
})

it('ignores a cancellation that comes too late', async () => {
  gateway = await testGateway({ mcpServers: { raw: rawTarget({ record: record() }) } })
  const session = await openSession(gateway.endpoint)
  const done = await legacyRequest(gateway.endpoint, 'tools/call', { name: 'raw_pid' }, { session })
  const response = await fetch(gateway.endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', 'mcp-session-id': session },
    body: JSON.stringify({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: done.message.id },
    }),
  })
  expect(response.status).toBe(202)
  expect((await legacyRequest(gateway.endpoint, 'ping', {}, { session })).message.result).toEqual({})
  expect(await cancelled()).toEqual([])
})

it('10,000 requests at once: all are answered, few at a time are worked on', async () => {
  let running = 0
  let most = 0
  const app = new Server({
    name: 'app',
    tools: {
      wait: tool({
        run: async () => {
          most = Math.max(most, ++running)
          await new Promise((resolve) => setTimeout(resolve, 5))
          running--
          return 'done'
        },
      }),
    },
  })
  const entry = { module: 'app', concurrency: 20, queue: 500 }
  gateway = await testGateway({ mcpServers: { app: entry } }, { embedded: new Map([['app', app]]) })
  await using client = await connect(memory(gateway.gateway.endpoint()!), { era: 'modern' })
  await client.call('app_wait')
  const outcomes = { answered: 0, busy: 0, other: [] as unknown[] }
  const count = (error: Error): void => {
    if ((error as { data?: { reason?: unknown } }).data?.reason === 'busy') outcomes.busy++
    else outcomes.other.push(error)
  }
  const calls = Array.from({ length: 10_000 }, () =>
    client.call('app_wait').then(() => outcomes.answered++, count),
  )
  await Promise.all(calls)
  expect(outcomes.other).toEqual([])
  expect(outcomes.answered + outcomes.busy).toBe(10_000)
  expect(outcomes.answered).toBeGreaterThanOrEqual(520)
  expect(most).toBeLessThanOrEqual(20)
  expect((await client.call('app_wait')).text()).toBe('done')
  expect(gateway.gateway.exchanges.running).toEqual([])
})

describe('forgeries', () => {
  const keys = [
    { name: 'ann', key: 'key-of-ann-0123456789' },
    { name: 'ben', key: 'key-of-ben-0123456789' },
  ]
  const as = (who: string) => ({ authorization: `Bearer key-of-${who}-0123456789` })

  it('refuses session ids that are made up, altered or of another caller', async () => {
    gateway = await testGateway({ mcpServers: { raw: rawTarget({}) }, auth: { apiKeys: keys } })
    const { endpoint } = gateway
    const opened = await legacyRequest(
      endpoint,
      'initialize',
      { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
      { headers: as('ann') },
    )
    const session = opened.headers.get('mcp-session-id')!
    const list = async (id: string, who: string): Promise<number> =>
      (await legacyRequest(endpoint, 'tools/list', {}, { session: id, headers: as(who) })).status
    expect(await list(session, 'ann')).toBe(200)
    expect(await list(session, 'ben')).toBe(404)
    expect(await list('made-up', 'ann')).toBe(404)
    expect(await list(`${session.slice(0, -2)}xx`, 'ann')).toBe(404)
  })

  it('refuses requestState that is made up, altered, for another tool or of another caller', async () => {
    gateway = await testGateway({ mcpServers: { raw: rawTarget({}) }, auth: { apiKeys: keys } })
    const call = async (params: object, who = 'ann') =>
      (
        await modernRequest(
          gateway!.endpoint,
          'tools/call',
          { name: 'raw_ask', ...params },
          { headers: as(who) },
        )
      ).message
    const { requestState, inputRequests } = (await call({})).result
    const inputResponses = {
      [Object.keys(inputRequests)[0]!]: { action: 'accept', content: { name: 'Ann' } },
    }
    const refused = { error: { code: -32602 } }
    expect(await call({ requestState: 'g1.nonsense', inputResponses })).toMatchObject(refused)
    expect(await call({ requestState: `${requestState.slice(0, -3)}abc`, inputResponses })).toMatchObject(
      refused,
    )
    expect(await call({ requestState, inputResponses, name: 'raw_echo' })).toMatchObject(refused)
    expect(await call({ requestState, inputResponses }, 'ben')).toMatchObject(refused)
    const done = await call({ requestState, inputResponses })
    expect(done.result.content[0].text).toMatch(/Ann$/)
    expect(await call({ requestState, inputResponses })).toMatchObject(refused)
  })
})

it('sessions survive a restart of the gateway: the client notices nothing', async () => {
  const config = { mcpServers: { raw: rawTarget({}) }, stateDir: dir }
  gateway = await testGateway(config)
  const port = Number(new URL(gateway.url).port)
  const session = await openSession(gateway.endpoint)
  const call = async (): Promise<string> =>
    (await legacyRequest(gateway!.endpoint, 'tools/call', { name: 'raw_pid' }, { session })).message.result
      .content[0].text
  const before = await call()
  await gateway.close()
  gateway = await testGateway(config, { port })
  const after = await call()
  expect(after).toMatch(/^\d+$/)
  expect(after).not.toBe(before)
})

it('keeps trace context and members that nobody knows, in both directions', async () => {
  gateway = await testGateway({ mcpServers: { raw: rawTarget({}) } })
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  const { message } = await modernRequest(
    gateway.endpoint,
    'tools/call',
    { name: 'raw_echo', arguments: { a: 1 }, futureMember: [1, { x: 2 }] },
    { meta: { traceparent, 'example.com/own': { b: 2 } } },
  )
  expect(message.result.unknownMember).toEqual({ kept: true })
  expect(message.result.received).toMatchObject({
    name: 'echo',
    arguments: { a: 1 },
    futureMember: [1, { x: 2 }],
    _meta: { traceparent, 'example.com/own': { b: 2 } },
  })
})
