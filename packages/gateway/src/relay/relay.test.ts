import { describe, expect, it } from 'vitest'
import { complete, MemoryContinuations, Sealer, type InputRequired, type Outcome } from '@gantry/mcp/exchange'
import { Server, tool } from '@gantry/mcp/server'
import { chainBench, liveExchange } from '../chain/chain.test.support.ts'
import type { GatewayExchange } from '../chain/gateway-exchange.ts'
import { Relay } from './relay.ts'

const app = new Server({
  name: 'a',
  resources: [{ uri: 'doc://a', name: 'a', text: 'a' }],
  tools: {
    sure: tool({ run: async (_input, context) => ((await context.confirm('Sure?')) ? 'yes' : 'no') }),
  },
})
app.method('vendor/news', (exchange) => {
  exchange.notify({ method: 'notifications/resources/updated', params: { uri: 'doc://a' } })
  exchange.notify({ method: 'notifications/tools/list_changed' })
  return complete({})
})
const bench = await chainBench({ a: app })
const relay = new Relay({
  endpoint: '',
  continuations: new MemoryContinuations(),
  sealer: new Sealer(),
  parkedFor: 60_000,
})
const ASKABLE = { client: { capabilities: { elicitation: { form: {} } }, version: '2026-07-28' } } as const

async function call(params: Record<string, unknown>, init: object = ASKABLE): Promise<Outcome> {
  const exchange = bench.exchange('tools/call', { name: 'a_sure', ...params }, init)
  exchange.resolve(await bench.resolver.resolve(exchange))
  return relay.handle(exchange)
}

function answersTo({ inputRequests, requestState }: InputRequired): Record<string, unknown> {
  const [key] = Object.keys(inputRequests!)
  return { requestState, inputResponses: { [key!]: { action: 'accept', content: { confirmed: true } } } }
}

describe('a relayed request', () => {
  it('goes on with the state that its target gave, which nobody else can read or use', async () => {
    const asked = (await call({})) as InputRequired
    expect(asked.type).toBe('input_required')
    const answered = answersTo(asked)
    const alice = { kind: 'key', issuer: '', subject: 'alice' }
    const foreign = { ...ASKABLE, auth: { principal: alice, scopes: [], claims: {} } }
    for (const stolen of [
      () => call(answered, foreign),
      () => call({ ...answered, arguments: { other: 1 } }),
    ]) {
      await expect(stolen()).rejects.toMatchObject({ code: -32602 })
    }
    expect(await call(answered)).toMatchObject({ type: 'complete', result: { content: [{ type: 'text' }] } })
  })

  it('may be answered as long as the configuration at the start says, on endpoints that are opened later too', async () => {
    const { gateway } = bench
    const { server } = gateway.model
    await gateway.apply({
      ...gateway.model,
      server: { ...server, limits: { ...server.limits, parkedFor: 1 } },
    })
    const late = (params: object) =>
      gateway.endpoint('a')!.respond(liveExchange('tools/call', { name: 'sure', ...params }, ASKABLE))
    const asked = (await late({})) as InputRequired
    const at = Date.now()
    await expect.poll(() => Date.now() - at).toBeGreaterThan(2)
    expect(await late(answersTo(asked))).toMatchObject({ type: 'complete' })
  })

  it('marks the server that it went to', async () => {
    const exchange = bench.exchange('tools/call', { name: 'a_sure' }, ASKABLE)
    exchange.resolve(await bench.resolver.resolve(exchange))
    await relay.handle(exchange)
    expect(exchange.server).toBe(exchange.resolved!.target.serverOf(exchange))
  })

  it('shares news with all who listen; its caller hears of resources alone', async () => {
    const said: string[] = []
    const heard: string[] = []
    const exchange: GatewayExchange = bench.exchange(
      'vendor/news',
      {},
      { notify: ({ method }) => said.push(method) },
    )
    exchange.resolve(await bench.resolver.resolve(exchange))
    const { target } = exchange.resolved!
    const stop = target.listen({
      filter: { resourceSubscriptions: ['doc://a'] },
      granted: () => {},
      missed: () => {},
      heard: ({ method }) => heard.push(method),
    })
    await relay.handle(exchange)
    await expect.poll(() => heard).toContain('notifications/resources/updated')
    expect(said).toEqual(['notifications/resources/updated'])
    stop()
  })
})
