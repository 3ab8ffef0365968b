import { PassThrough } from 'node:stream'
import { toFetchHandler } from '@gantry/mcp/server'
import { serveStream } from '@gantry/mcp/server/node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkReply, createFuzzedServer } from './fuzzed-server.ts'
import { heapInUse } from './heap.ts'
import { mutatedText, validMessage } from './messages.ts'
import { Random } from './random.ts'

const SEED = Number(process.env.FUZZ_SEED ?? 20260728)
/** For longer runs with other seeds. */
const FACTOR = Number(process.env.FUZZ_FACTOR ?? 1)
const unhandled: unknown[] = []
const onUnhandled = (error: unknown): void => void unhandled.push(error)

beforeAll(() => {
  process.on('unhandledRejection', onUnhandled)
  process.on('uncaughtException', onUnhandled)
})
afterAll(() => {
  process.off('unhandledRejection', onUnhandled)
  process.off('uncaughtException', onUnhandled)
})

describe(`whatever comes in (seed ${SEED})`, () => {
  it(`${20_000 * FACTOR} mutated messages without a transport: always an answer, or none where none is due`, async () => {
    const random = new Random(SEED)
    const server = createFuzzedServer()
    const before = await heapInUse()
    for (let round = 0; round < 200 * FACTOR; round++) {
      const texts = Array.from({ length: 100 }, () => mutatedText(random))
      const replies = await Promise.all(texts.map((text) => server.handleJson(text)))
      for (const reply of replies) if (reply !== undefined) checkReply(reply)
    }
    expect(server.listeners).toBe(0)
    const growth = (await heapInUse()) - before
    expect(growth).toBeLessThan(10_000_000)
    expect(unhandled).toEqual([])
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })

  it(`${15_000 * FACTOR} mutated lines, random bytes between them, in random slices over a connection`, async () => {
    const random = new Random(SEED + 1)
    const server = createFuzzedServer()
    const before = await heapInUse()
    for (let round = 0; round < 15 * FACTOR; round++) {
      const input = new PassThrough()
      const output = new PassThrough()
      let received = ''
      output.on('data', (chunk: Buffer) => {
        received += chunk.toString()
      })
      const served = serveStream(server, input, output, { maxLineBytes: 5_000, drainTimeout: 50 })
      const encoder = new TextEncoder()
      for (let i = 0; i < 1_000; i++) {
        const line = random.chance(0.05)
          ? random.bytes(random.below(300))
          : encoder.encode(mutatedText(random))
        for (const slice of random.slices(line, random.chance(0.5) ? 7 : 4096)) input.write(slice)
        input.write(random.pick(['\n', '\r\n', '\n\n', '\n']))
        if (i % 100 === 0) await new Promise((resolve) => setImmediate(resolve))
      }
      input.write('{"jsonrpc":"2.0","id":"the-end","method":"ping"}\n')
      input.end()
      await served
      const lines = received.split('\n').filter((line) => line !== '')
      for (const line of lines) checkReply(line)
      expect(lines.some((line) => line.includes('"the-end"') && line.includes('"result"'))).toBe(true)
      expect(server.listeners).toBe(0)
    }
    const growth = (await heapInUse()) - before
    expect(growth).toBeLessThan(10_000_000)
    expect(unhandled).toEqual([])
  })

  it(`${5_000 * FACTOR} mutated requests with mutated headers over HTTP`, async () => {
    const random = new Random(SEED + 2)
    const server = createFuzzedServer()
    const handler = toFetchHandler(server, { sessions: { maxSessions: 50 }, keepAlive: 0 })
    const before = await heapInUse()
    const sessions: string[] = ['unknown']
    for (let round = 0; round < 100 * FACTOR; round++) {
      const replies = await Promise.all(
        Array.from({ length: 50 }, async () => {
          const response = await handler(mutatedRequest(random, sessions))
          const session = response.headers.get('mcp-session-id')
          if (session && sessions.length < 20) sessions.push(session)
          expect(response.status).toBeLessThan(500)
          return readSome(response)
        }),
      )
      for (const reply of replies) if (reply !== '') checkReply(reply)
    }
    handler.close()
    expect(server.listeners).toBe(0)
    expect(handler.service.sessions.all.size).toBe(0)
    const growth = (await heapInUse()) - before
    expect(growth).toBeLessThan(10_000_000)
    expect(unhandled).toEqual([])
  })
})

const HEADER_VALUES = [
  '',
  'x',
  '2026-07-28',
  '2025-06-18',
  '1999-01-01',
  'tools/call',
  '=?base64?!?=',
  '=?base64?aGk=?=',
]

function mutatedRequest(random: Random, sessions: readonly string[]): Request {
  const method = random.pick(['POST', 'POST', 'POST', 'POST', 'POST', 'POST', 'GET', 'DELETE', 'PUT'])
  const headers: Record<string, string> = {
    'content-type': random.chance(0.95) ? 'application/json' : 'text/html',
    accept: random.pick([
      'application/json, text/event-stream',
      '*/*',
      'application/json',
      'text/event-stream',
    ]),
  }
  const message = validMessage(random)
  if (random.chance(0.7)) headers['mcp-session-id'] = random.pick(sessions)
  if (random.chance(0.4)) {
    const { name, uri } = (message.params ?? {}) as { name?: string; uri?: string }
    headers['mcp-protocol-version'] = '2026-07-28'
    if (typeof message.method === 'string') headers['mcp-method'] = message.method
    if (name ?? uri) headers['mcp-name'] = String(name ?? uri)
  }
  for (const name of ['mcp-protocol-version', 'mcp-method', 'mcp-name', 'last-event-id', 'origin']) {
    if (random.chance(0.04)) headers[name] = random.pick(HEADER_VALUES)
  }
  const body = random.chance(0.5) ? JSON.stringify(message) : mutatedText(random)
  return new Request('http://127.0.0.1/mcp', { method, headers, ...(method === 'POST' && { body }) })
}

/** The first of what a response says; streams that stay open are left at once. */
async function readSome(response: Response): Promise<string> {
  const isStream = response.headers.get('content-type') === 'text/event-stream'
  if (!isStream) return response.text()
  const reader = response.body!.getReader()
  const { value } = await Promise.race([
    reader.read(),
    new Promise<{ value: undefined }>((resolve) => setTimeout(() => resolve({ value: undefined }), 5)),
  ])
  await reader.cancel()
  const data = /^data: (\{.*)$/m.exec(value ? new TextDecoder().decode(value) : '')
  return data?.[1] ?? ''
}
