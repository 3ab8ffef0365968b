import { createServer, type Server as HttpServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import type { Outcome } from '@gantry/mcp/exchange'
import { Server, tool, ToolError } from '@gantry/mcp/server'
import { toNodeHandler } from '@gantry/mcp/server/node'
import { chainBench, liveExchange } from '../chain.test.support.ts'
import { RetryBudget } from './retry-budget.ts'

let calls = 0
/** What becomes of the next calls: a status, or never an answer; then the tool answers. */
let plan: (number | 'hang')[] = []
let retryAfter: string | undefined
let cancelled = 0

const READS = { annotations: { readOnlyHint: true } }
const app = new Server({
  name: 'a',
  tools: {
    read: tool({ ...READS, run: () => `answer ${calls}` }),
    other: tool({ ...READS, run: () => `answer ${calls}` }),
    write: tool({ run: () => `answer ${calls}` }),
    fail: tool({
      ...READS,
      run: () => {
        throw new ToolError('no')
      },
    }),
  },
})

const servers: HttpServer[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
  calls = 0
  plan = []
  retryAfter = undefined
  cancelled = 0
})

async function gatewayWith(retries: object[]) {
  const handle = toNodeHandler(app)
  const server = createServer((request, response) => {
    if (request.headers['mcp-method'] !== 'tools/call') return void handle(request, response)
    calls++
    const step = plan.shift()
    if (step === undefined) return void handle(request, response)
    request.resume()
    if (step === 'hang') return void response.once('close', () => cancelled++)
    response.writeHead(step, retryAfter === undefined ? {} : { 'retry-after': retryAfter }).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  servers.push(server)
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
  const bench = await chainBench({}, { mcpServers: { a: { url } }, limits: { retries } })
  const call = async (name: string): Promise<string> => {
    const exchange = liveExchange('tools/call', { name: `a_${name}`, arguments: {} })
    return JSON.stringify((await bench.gateway.endpoint()!.respond(exchange)) as Outcome)
  }
  return { call, target: bench.gateway.target('a')! }
}

const RETRY = [{ for: ['a/read', 'a/write', 'a/fail'], attempts: 2, pause: 1 }]

describe('a call that fails on the way', () => {
  it.each([503, 429, 502])('is made once more after %i', async (status) => {
    const { call } = await gatewayWith(RETRY)
    plan = [status]
    expect(await call('read')).toContain('answer 2')
  })

  it.each([
    ['of a tool that does not say that it may be repeated', 'write', 503],
    ['of a tool that the configuration does not name', 'other', 503],
    ['for lack of rights', 'read', 403],
    ['because it is wrong', 'read', 400],
  ] as const)('is not made again %s', async (_, name, status) => {
    const { call } = await gatewayWith(RETRY)
    plan = [status]
    expect(await call(name)).toContain('"type":"error"')
    expect(calls).toBe(1)
  })

  it('is not made again for an error of the tool', async () => {
    const { call } = await gatewayWith(RETRY)
    expect(await call('fail')).toContain('"isError":true')
    expect(calls).toBe(1)
  })

  it('is not made again when the server wants a long pause', async () => {
    const { call } = await gatewayWith(RETRY)
    plan = [429]
    retryAfter = '60'
    expect(await call('read')).toContain('"retryAfter":"60"')
    expect(calls).toBe(1)
  })

  it('keeps within 2 % of the calls', async () => {
    const { call } = await gatewayWith(RETRY)
    for (let at = 0; at < 100; at++) {
      plan = [503, 503, 503, 503]
      await call('read')
    }
    // One to begin with, and 2 % of 100.
    expect(calls).toBe(103)
  })

  it('does not make a server that throttles or fails look unreachable', async () => {
    const { call, target } = await gatewayWith([])
    await call('read')
    for (const status of [429, 429, 429, 503, 400]) {
      plan = [status]
      await call('read')
    }
    expect(await call('read')).toContain('answer')
    expect([...target.instances.values()].map(({ state }) => state)).toEqual(['ready'])
  })
})

describe('a call that takes long', () => {
  const HEDGE = [{ for: ['a/read', 'a/write'], hedgeAfter: 20 }]

  it('is made a second time beside the first, whose answer is not waited for', async () => {
    const { call } = await gatewayWith(HEDGE)
    plan = ['hang']
    expect(await call('read')).toContain('answer 2')
    while (cancelled === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    expect(calls).toBe(2)
  })

  it('is made once when it is answered in time', async () => {
    const { call } = await gatewayWith([{ for: ['a/read'], hedgeAfter: '1h' }])
    expect(await call('read')).toContain('answer 1')
    expect(calls).toBe(1)
  })
})

it('the budget is 2 %', () => {
  const budget = new RetryBudget()
  let spent = 0
  for (let at = 0; at < 10_000; at++) {
    budget.earn()
    if (budget.spend()) spent++
  }
  expect(spent).toBe(201)
})
