import {
  Client,
  type ClientOptions,
  type Connector,
  EraCache,
  http,
  McpError,
  ProtocolError,
  sse,
} from '@gantry/mcp/client'
import { stdio } from '@gantry/mcp/client/node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundle } from '../../packages/mcp/src/transport/fixtures/bundle.test.node.ts'
import { children } from '../../packages/mcp/src/transport/fixtures/survivors.test.node.ts'
import type { Fault } from './faulty-voice.ts'
import { FuzzingHttp } from './fuzzing-http.ts'
import { heapInUse } from './heap.ts'
import { Random } from './random.ts'

const SEED = Number(process.env.FUZZ_SEED ?? 20260728)
const CLIENTS = Number(process.env.GANTRY_FUZZ_CLIENTS ?? 16)
const CALLS = 25
const AT_A_TIME = 8

/** No request may be pending longer than these allow, whatever the server does. */
const LIMITS = {
  connectTimeout: 5_000,
  probeTimeout: 500,
  timeout: 700,
  maxTotalTimeout: 2_000,
} satisfies ClientOptions
/** What a busy machine may add. */
const SLACK = 10_000

const unhandled: unknown[] = []
const note = (thrown: unknown): void => void unhandled.push(thrown)
let program: string
beforeAll(async () => {
  process.on('unhandledRejection', note)
  process.on('uncaughtException', note)
  program = await bundle(new URL('fuzzing-process.ts', import.meta.url))
})
afterAll(() => {
  process.off('unhandledRejection', note)
  process.off('uncaughtException', note)
})

interface Tally {
  answered: number
  failed: number
}

/** Uses a client in every way at once. Throws when a request fails in a way it may not, or never ends. */
async function use(connector: Connector, fault: Fault, tally: Tally): Promise<void> {
  const client = new Client({
    reconnect: { initialDelay: 1, maxDelay: 5, maxAttempts: 2 },
    ...LIMITS,
    connector,
    eras: new EraCache(),
    maxRounds: 4,
    maxPages: 5,
    elicit: () => ({ action: 'accept', content: {} }),
    sample: () => ({ role: 'assistant', model: 'm', content: { type: 'text', text: '' } }),
    roots: [],
  })
  client.on('toolsChanged', () => {})
  const began = performance.now()
  const requests = Array.from({ length: CALLS }, async (_, index) => {
    if (index % 5 === 1) return client.call('ask', {}, { onProgress: () => {} })
    if (index % 5 === 2) return client.listTools().all()
    if (index % 5 === 3) return client.readResource(`file:///${index}`)
    if (index === 4) return (await client.subscribe('file:///a')).close()
    const result = await client.call('echo', { text: `word ${index}` }, { onProgress: () => {} })
    if (fault === 'disordered') expect(result.text()).toBe(`word ${index}`)
  })
  for (const outcome of await Promise.allSettled(requests)) {
    if (outcome.status === 'fulfilled') tally.answered++
    else if (isExpected(outcome.reason)) tally.failed++
    else throw outcome.reason
  }
  // Connecting, perhaps again after the server has gone, and then each of a list's pages.
  const longest = 2 * LIMITS.connectTimeout + 2 * LIMITS.maxTotalTimeout
  expect(performance.now() - began).toBeLessThan(longest + SLACK)
  await client.close()
}

function isExpected(reason: unknown): boolean {
  return reason instanceof McpError || reason instanceof ProtocolError
}

/** Some clients at a time, and after each of them one more. */
async function visits(count: number, visit: (index: number) => Promise<void>): Promise<void> {
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < count) await visit(next++)
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, lane))
}

const sockets = (): string[] =>
  process.getActiveResourcesInfo().filter((name) => /Process|Pipe|TCPSocket/.test(name))

type Era = 'legacy' | 'modern'

/** How clients reach a server that goes wrong in one way. */
interface Way extends AsyncDisposable {
  connector(seed: number): Connector
}

async function overHttp(fault: Fault, era: Era, isSse = false): Promise<Way> {
  // One server for all clients of its kind: `fetch` remembers every origin that it has ever seen.
  const server = new FuzzingHttp({ random: new Random(SEED), fault, era, isSse })
  const url = await server.listen()
  const options = { connectTimeout: '2s' } as const
  return {
    connector: () => (isSse ? sse(url, options) : http(url, options)),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

async function overStdio(fault: Fault, era: Era): Promise<Way> {
  const shutdown = { end: 500, term: 500 }
  return {
    connector: (seed) =>
      stdio({ command: process.execPath, args: [program, String(seed), fault, era], shutdown }),
    [Symbol.asyncDispose]: async () => {},
  }
}

describe(`a client of a server that says the right things wrongly (seed ${SEED})`, () => {
  it.each<[string, (fault: Fault, era: Era) => Promise<Way>]>([
    ['stdio', overStdio],
    ['Streamable HTTP', overHttp],
    ['HTTP+SSE', (fault, era) => overHttp(fault, era, true)],
  ])(
    'over %s: every request ends within its limits, as a promise, and nothing is left',
    async (_, open) => {
      const before = { children: children(), sockets: sockets() }
      const tally: Tally = { answered: 0, failed: 0 }
      {
        await using disordered = await open('disordered', 'modern')
        await using disorderedLegacy = await open('disordered', 'legacy')
        await using corrupt = await open('corrupt', 'modern')
        await using corruptLegacy = await open('corrupt', 'legacy')
        const ways = [disordered, corrupt, disorderedLegacy, corruptLegacy]
        const pass = (first: number): Promise<void> =>
          visits(CLIENTS, async (index) => {
            const connector = ways[index % ways.length]!.connector(SEED + first + index)
            await use(connector, index % 2 === 0 ? 'disordered' : 'corrupt', tally)
          })
        await pass(0)
        const heap = await heapInUse()
        await pass(CLIENTS)
        await pass(2 * CLIENTS)
        const growth = (await heapInUse()) - heap
        console.info(JSON.stringify({ ...tally, growth }))
        expect(growth).toBeLessThan(3_000_000)
      }
      await expect.poll(() => sockets()).toEqual(before.sockets)
      await expect.poll(() => children()).toEqual(before.children)
      expect(unhandled).toEqual([])
      // Some of it works: otherwise only the handshake would have been tested. A busy machine misses most limits.
      expect(tally.answered).toBeGreaterThan(0)
    },
    180_000,
  )
})
