import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { legacyRequest, modernRequest, openSession } from '../support/raw-client.ts'
import { startRedis, type RedisServer } from '../support/redis.ts'
import { startReplicas, type Replicas } from './replicas.ts'

const SERVER = fileURLToPath(new URL('./fixtures/counter-server.mjs', import.meta.url))
let redis: RedisServer
let replicas: Replicas

beforeAll(async () => {
  redis = await startRedis()
  const counter = { command: process.execPath, args: [SERVER], env: { REVISIONS: '2025-11-25' } }
  const store = { redis: { url: `redis://127.0.0.1:${redis.port}` } }
  replicas = await startReplicas(4, { mcpServers: { counter } }, store)
})
afterAll(async () => {
  await replicas?.close()
  await redis?.stop()
})

const endpoint = (at: number): string => replicas.all[at]!.endpoint
const ping = async (at: number, session: string): Promise<number> =>
  (await legacyRequest(endpoint(at), 'ping', {}, { session })).status

async function storeOf(at: number): Promise<string> {
  const answer = await fetch(`${replicas.all[at]!.url}/ready?verbose`)
  return ((await answer.json()) as { store: { state: string } }).store.state
}

/** Asks the question of a call at one gateway, and answers it at another. What the call says. */
async function greet(asked: number, answered: number, session: string): Promise<string> {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-session-id': session,
    'mcp-protocol-version': '2025-11-25',
  }
  const params = { name: 'counter_greet', arguments: {} }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params })
  const stream = await fetch(endpoint(asked), { method: 'POST', headers, body })
  let text = ''
  for await (const piece of stream.body!.pipeThrough(new TextDecoderStream())) {
    const before = text
    text += piece
    const question = /^data: (\{.*"elicitation\/create".*\})$/m.exec(text)
    if (!question || before.includes(question[0])) continue
    const { id } = JSON.parse(question[1]!) as { id: unknown }
    const result = { action: 'accept', content: { name: 'you' } }
    const answer = JSON.stringify({ jsonrpc: '2.0', id, result })
    expect((await fetch(endpoint(answered), { method: 'POST', headers, body: answer })).status).toBe(202)
  }
  return /"text":"(Hello[^"]*)"/.exec(text)![1]!
}

it('finds sessions at the gateways that have them while the store is away, also those that were taken over', async () => {
  const stayed = await openSession(endpoint(1), { elicitation: { form: {} } })
  const moved = await openSession(endpoint(0), { elicitation: { form: {} } })
  await replicas.all[0]!.kill()
  // The one that is asked first takes it over. The others are not asked, and do not know.
  await vi.waitFor(async () => expect(await ping(2, moved)).toBe(200), { timeout: 15_000 })
  await replicas.start(0)
  expect(await greet(2, 2, moved)).toBe('Hello, you!')
  await vi.waitFor(async () => expect(await ping(0, stayed)).toBe(200), { timeout: 15_000 })
  // Until those that have sessions know who has the program now, and all have heard of the gateway that is new.
  expect(await greet(1, 1, stayed)).toBe('Hello, you!')
  await sleep(1_000)

  await redis.kill()
  await vi.waitFor(async () => {
    for (const at of replicas.all.keys()) expect(await storeOf(at)).not.toBe('ok')
  })
  // An answer ends the call only at the gateway that asked: it has the session, and nobody else has made one.
  for (const [asked, answered] of [
    [0, 1],
    [1, 3],
    [3, 2],
  ] as const) {
    expect(await greet(asked, answered, moved)).toBe('Hello, you!')
    expect(await greet(asked, answered, stayed)).toBe('Hello, you!')
  }
  const { url, token } = replicas.all[0]!
  const asked = await fetch(`${url}/api/approvals`, { headers: { authorization: `Bearer ${token}` } })
  expect([asked.status, await asked.json()]).toMatchObject([503, { error: { code: 'unavailable' } }])
  await redis.start()
  await vi.waitFor(async () => {
    for (const at of replicas.all.keys()) expect(await storeOf(at)).toBe('ok')
  })
  for (const session of [moved, stayed]) expect(await greet(0, 3, session)).toBe('Hello, you!')
})

it('takes no program for broken because the store is away, and uses it as soon as the store is back', async () => {
  const text = async (): Promise<unknown> => {
    const asked = { name: 'counter_count', arguments: {} }
    const { message } = await modernRequest(endpoint(3), 'tools/call', asked)
    return message.error?.data?.reason ?? message.result?.content[0].text
  }
  await redis.kill()
  // This gateway has never heard who has the program.
  await replicas.restart(3)
  for (let attempt = 0; attempt < 3; attempt++) {
    const began = Date.now()
    expect(await text()).toBe('store-away')
    expect(Date.now() - began).toBeLessThan(6_000)
  }
  await redis.start()
  await vi.waitFor(async () => expect(await storeOf(3)).toBe('ok'))
  // A call waits for what is still being found out, and is not refused for what was.
  expect(await text()).toMatch(/^\d+$/)
})

it('has each program once also when the store has lost everything', async () => {
  const who = async (at: number): Promise<string> => {
    const answer = await modernRequest(endpoint(at), 'tools/call', { name: 'counter_who', arguments: {} })
    return answer.message?.result?.content?.[0]?.text
  }
  const all = [1, 2, 3]
  const [first] = await Promise.all(all.map(who))
  const parent = await modernRequest(endpoint(1), 'tools/call', { name: 'counter_parent', arguments: {} })
  const owner = Number(parent.message.result.content[0].text)
  await redis.ask('FLUSHALL')
  // One that knows nothing of the others but what is in the store.
  await replicas.restart(all.find((at) => replicas.all[at]!.child.pid !== owner)!)
  expect(await Promise.all(all.map(who))).toEqual([first, first, first])
})
