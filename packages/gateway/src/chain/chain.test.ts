import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Outcome } from '@gantry/mcp/exchange'
import { Server, tool } from '@gantry/mcp/server'
import { SigningKey } from '../audit/signing-key.ts'
import { testTrail } from '../audit/trail-parts.test.support.ts'
import { ExchangeLog } from '../telemetry/exchange-log.ts'
import { chainBench, liveExchange, modelOf } from './chain.test.support.ts'
import { linksOf, type ChainServices } from './chain.ts'
import { RateCounts } from './rates/rate-counts.ts'

const page = readFileSync(new URL('../../../../ARCHITECTURE.md', import.meta.url), 'utf8')
/** The picture in ARCHITECTURE.md: what is counted first sees everything, and the relay comes last. */
const [picture] = page.match(/^trace → .*? → relay\b/m)!
const ORDER = picture.split(' → ').slice(0, -1)

const NEW_KEY = String(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }))
const seen: string[] = []
const app = new Server({
  name: 'a',
  tools: {
    open: tool({ run: () => 'open' }),
    closed: tool({ run: () => 'closed' }),
    slow: tool({
      run: (_input, { signal }) =>
        new Promise((resolve) => signal.addEventListener('abort', () => resolve('ended'))),
    }),
  },
})
app.use((exchange, next) => {
  if (exchange.method === 'tools/call') seen.push(String(exchange.params.name))
  return next()
})
const bench = await chainBench(
  { a: app },
  {
    policy: { rules: [{ deny: ['tools:a/closed'] }, { confirm: true, allow: ['tools:a/never'] }] },
    results: [{ mask: ['email'], maxTokens: 8000 }],
    limits: { repeatedErrors: {}, rates: [{ rate: '1000/s' }], retries: [{ for: ['a/open'] }] },
    views: { v: { use: ['a'], tools: { 'a/open': { parameters: { x: { fixed: 1 } } } } } },
    server: { limits: { requestsInFlight: 1 } },
  },
)
const { gateway } = bench
const call = (name: string): Promise<Outcome> =>
  Promise.resolve(gateway.endpoint()!.respond(liveExchange('tools/call', { name }, { session: 'one' })))

describe('the chain', () => {
  const services = {
    exchanges: new ExchangeLog({ size: 0, bodyBytes: 0, sampling: 0 }),
    ...bench,
    store: gateway.store,
    rates: new RateCounts(),
  } as unknown as ChainServices

  it('has this order', () => {
    expect(Object.keys(linksOf(services, gateway.model))).toEqual(ORDER)
    const table = page.slice(page.indexOf('| link | what it does |')).split('\n\n')[0]!
    const rows = table.match(/^\| `.*?\|/gm)!.flatMap((row) => row.match(/(?<=`)\w+(?=`)/g)!)
    expect(rows.sort()).toEqual(ORDER.toSorted())
  })

  it('leaves out what the configuration gives nothing to do', async () => {
    const open = linksOf(services, await modelOf({ mcpServers: { a: { command: 'a' } } }))
    expect(ORDER.filter((name) => open[name] === undefined)).toEqual([
      'trace',
      'audit',
      'longResults',
      'ownLists',
      'view',
      'policy',
      'accounts',
      'approval',
      'loopGuard',
      'rates',
      'decision',
      'retries',
      'results',
    ])
    const audit = testTrail('/nowhere', { required: true }, { key: new SigningKey(NEW_KEY) })
    const whole = { ...services, audit, tracer: {} as ChainServices['tracer'] }
    const [target] = gateway.model.targets
    const personal = { ...target!, credentials: { kind: 'user' as const, secrets: [] } }
    const model = { ...gateway.model, targets: [personal] }
    expect(Object.values(linksOf(whole, model, 'v'))).not.toContain(undefined)
  })

  it('records what policy denies, and does not ask the target', async () => {
    expect(await call('a_closed')).toMatchObject({ error: { message: 'Unknown tool: a_closed' } })
    expect(seen).toEqual([])
    expect(gateway.exchanges.recent(1)).toMatchObject([
      { name: 'a_closed', status: 'error', target: undefined },
    ])
  })

  it('records what the limit refuses, before anything is resolved', async () => {
    const slow = liveExchange('tools/call', { name: 'a_slow' }, { session: 'one' })
    const running = Promise.resolve(gateway.endpoint()!.respond(slow))
    await expect.poll(() => seen).toContain('slow')
    expect(await call('a_open')).toMatchObject({ error: { data: { reason: 'busy', retryAfter: 1 } } })
    expect(seen).toEqual(['slow'])
    expect(gateway.exchanges.recent(1)).toMatchObject([
      { name: 'a_open', status: 'error', target: undefined },
    ])
    slow.abort()
    await running
  })

  it.each(['server/discover', 'tools/list', 'resources/templates/list', 'skills/list'])(
    'answers %s itself',
    async (method) => {
      expect(await gateway.endpoint()!.respond(liveExchange(method))).toMatchObject({ type: 'complete' })
      expect(gateway.exchanges.recent(1)).toMatchObject([{ method, status: 'ok', target: undefined }])
    },
  )

  it('does not count those that only listen', async () => {
    const listening = liveExchange('subscriptions/listen', { notifications: {} })
    const ended = gateway.endpoint()!.respond(listening)
    expect(gateway.admission.inFlight).toBe(0)
    listening.abort()
    await ended
  })

  it('asks the target for the rest, and holds a new configuration from the next request on', async () => {
    expect(await call('a_open')).toMatchObject({ result: { content: [{ text: 'open' }] } })
    expect(gateway.exchanges.recent(1)).toMatchObject([{ name: 'a_open', status: 'ok', target: 'a' }])
    await gateway.apply({ ...gateway.model, policy: { fallback: 'allow', rules: [] } })
    expect(await call('a_closed')).toMatchObject({ result: { content: [{ text: 'closed' }] } })
  })
})
