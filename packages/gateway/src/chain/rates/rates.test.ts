import { describe, expect, it } from 'vitest'
import {
  complete,
  type AuthInfo,
  type JsonObject,
  type Middleware,
  type Outcome,
  type TaskHandle,
} from '@gantry/mcp/exchange'
import { TASKS_EXTENSION } from '@gantry/mcp/extensions/tasks'
import { Server, tool } from '@gantry/mcp/server'
import { configFromValue, type RawConfig } from '../../config/index.ts'
import { chainBench, liveExchange } from '../chain.test.support.ts'
import { LocalBuckets } from './local-buckets.ts'

let open: (() => void)[] = []
const app = new Server({
  name: 'a',
  tools: {
    search: tool({
      input: { type: 'object', properties: { pages: { type: 'integer' } } },
      run: () => 'found',
    }),
    other: tool({ run: () => 'other' }),
    slow: tool({ run: () => new Promise<string>((resolve) => open.push(() => resolve('slow'))) }),
  },
})

async function benchFor(rates: NonNullable<RawConfig['limits']>['rates']) {
  const { gateway } = await chainBench({ a: app }, { limits: { rates } })
  return (name: string, { who = 'ann', args = {} }: { who?: string; args?: JsonObject } = {}) => {
    const auth = {
      principal: { kind: 'person', issuer: 'i', subject: who },
      scopes: [],
      claims: { team: 'blue' },
    }
    const exchange = liveExchange(
      'tools/call',
      { name: `a_${name}`, arguments: args },
      { auth: auth as unknown as AuthInfo },
    )
    return Promise.resolve(gateway.endpoint()!.respond(exchange))
  }
}

/** A refusal names its limit: any other error is a fault. */
const kindOf = (outcome: Outcome): string =>
  outcome.type === 'error' && (outcome.error.data as JsonObject | undefined)?.reason === 'limit'
    ? 'refused'
    : outcome.type
const kinds = (outcomes: Outcome[]): string[] => outcomes.map(kindOf)

describe('a rate', () => {
  it('lets a burst through, then refuses with the time to wait', async () => {
    const call = await benchFor([{ name: 'searches', for: ['tools:a/search'], rate: '2/h' }])
    expect(kinds([await call('search'), await call('search')])).toEqual(['complete', 'complete'])
    const refused = await call('search')
    expect(refused).toMatchObject({
      type: 'error',
      error: { data: { reason: 'limit', limit: 'searches' }, message: expect.stringContaining('"searches"') },
      cause: { status: 429 },
    })
    const { retryAfter } = (refused as { cause: { retryAfter: number } }).cause
    expect(retryAfter).toBeGreaterThan(1700)
    expect(retryAfter).toBeLessThanOrEqual(1800)
  })

  it.each([-5, '9', [9], null, true])(
    'refuses a call whose cost is %j: some servers read a number in it',
    async (pages) => {
      const call = await benchFor([{ name: 'x', rate: '10/h', cost: { expression: 'args.pages' } }])
      const refused = await call('search', { args: { pages } })
      expect(refused).toMatchObject({ error: { message: expect.stringContaining('limit "x"') } })
      expect((await call('search', { args: { pages: 10 } })).type).toBe('complete')
    },
  )

  it('counts each caller for itself, and only what it is for', async () => {
    const call = await benchFor([{ for: ['tools:a/search'], rate: '1/h' }])
    await call('search')
    expect(kinds([await call('search'), await call('search', { who: 'bo' }), await call('other')])).toEqual([
      'refused',
      'complete',
      'complete',
    ])
  })

  it('counts together what an expression says', async () => {
    const call = await benchFor([{ by: 'claims.team', rate: '1/h' }])
    expect(kinds([await call('search', { who: 'ann' }), await call('other', { who: 'bo' })])).toEqual([
      'complete',
      'refused',
    ])
  })

  it('takes what a call costs', async () => {
    const call = await benchFor([{ rate: '10/h', cost: { expression: 'args.pages' } }])
    const pages = async (count: number) => kindOf(await call('search', { args: { pages: count } }))
    expect([await pages(6), await pages(6), await pages(4)]).toEqual(['complete', 'refused', 'complete'])
    // No time to wait is named: it would never be enough.
    expect(await call('search', { args: { pages: 11 } })).toMatchObject({
      error: {
        message: expect.stringContaining('ask for less'),
        data: { reason: 'limit', limit: 'limit 1' },
      },
      cause: expect.not.objectContaining({ retryAfter: expect.anything() }),
    })
  })

  it('takes from all limits or from none', async () => {
    const call = await benchFor([
      { name: 'all', rate: '3/h' },
      { name: 'few', for: ['tools:a/search'], rate: '1/h' },
    ])
    await call('search')
    for (let at = 0; at < 5; at++) expect(kindOf(await call('search'))).toBe('refused')
    expect(kinds([await call('other'), await call('other'), await call('other')])).toEqual([
      'complete',
      'complete',
      'refused',
    ])
  })

  it('takes nothing from the store when this process refuses', async () => {
    const call = await benchFor([
      { name: 'here', for: ['tools:a/search'], rate: '1/h' },
      { name: 'everywhere', perDay: 3, shared: true },
    ])
    for (let at = 0; at < 5; at++) await call('search')
    expect(kinds([await call('other'), await call('other'), await call('other')])).toEqual([
      'complete',
      'complete',
      'refused',
    ])
  })

  it('takes nothing from the store when this process refuses one of several calls at once', async () => {
    const call = await benchFor([
      { name: 'here', for: ['tools:a/search'], rate: '1/h' },
      { name: 'everywhere', perDay: 3, shared: true },
    ])
    const together = await Promise.all([1, 2, 3, 4].map(() => call('search')))
    expect(kinds(together).filter((kind) => kind === 'complete')).toHaveLength(1)
    expect(kinds([await call('other'), await call('other'), await call('other')])).toEqual([
      'complete',
      'complete',
      'refused',
    ])
  })

  it('takes nothing here when the store refuses', async () => {
    const call = await benchFor([
      { name: 'here', rate: '2/h' },
      { name: 'everywhere', for: ['tools:a/search'], perDay: 1, shared: true },
    ])
    const together = await Promise.all([1, 2].map(() => call('search')))
    expect(kinds(together).toSorted()).toEqual(['complete', 'refused'])
    expect(kinds([await call('other'), await call('other')])).toEqual(['complete', 'refused'])
  })

  it('refuses when its key has no value', async () => {
    const call = await benchFor([{ name: 'x', by: 'claims.nothing', rate: '1/s' }])
    expect(await call('search')).toMatchObject({ error: { message: expect.stringContaining('limit "x"') } })
  })

  it('can be counted in the store', async () => {
    const call = await benchFor([{ perDay: 1, shared: true }])
    expect(kinds([await call('search'), await call('search')])).toEqual(['complete', 'refused'])
  })
})

describe('another endpoint', async () => {
  const views = { desk: { use: ['a/*'] }, lab: { use: ['a/*'] } }
  const rates = [
    { name: 'n'.repeat(60), for: ['tools:a/search'], rate: '1/h' },
    { name: 'slow', for: ['tools:a/slow'], concurrent: 1 },
  ]
  const { gateway } = await chainBench({ a: app }, { limits: { rates }, views })
  const at = (endpoint: string | undefined, name: string, subject = 'ann') => {
    const auth = { principal: { kind: 'key', subject }, scopes: [], claims: {} } as unknown as AuthInfo
    const params = { name: endpoint === 'a' ? name : `a_${name}`, arguments: {} }
    return Promise.resolve(gateway.endpoint(endpoint)!.respond(liveExchange('tools/call', params, { auth })))
  }

  it('has no share of its own for the same caller, and each caller has one', async () => {
    expect((await at(undefined, 'search')).type).toBe('complete')
    for (const endpoint of ['a', 'desk', 'lab', undefined]) {
      expect(await at(endpoint, 'search')).toMatchObject({ error: { data: { reason: 'limit' } } })
    }
    expect((await at('desk', 'search', 'bo')).type).toBe('complete')
  })

  it('counts the calls under way of all', async () => {
    open = []
    const first = at('desk', 'slow')
    await expect.poll(() => open.length).toBe(1)
    for (const endpoint of ['a', 'lab', undefined]) {
      expect(await at(endpoint, 'slow')).toMatchObject({ error: { data: { reason: 'limit' } } })
    }
    for (const end of open) end()
    expect((await first).type).toBe('complete')
  })
})

describe('calls under way', () => {
  it('are bounded, and make room when they end', async () => {
    open = []
    const call = await benchFor([{ name: 'two', concurrent: 2 }])
    const running = [call('slow'), call('slow')]
    await expect.poll(() => open.length).toBe(2)
    expect(await call('slow')).toMatchObject({ error: { data: { limit: 'two' } } })
    for (const end of open) end()
    expect(kinds(await Promise.all(running))).toEqual(['complete', 'complete'])
    expect((await call('search')).type).toBe('complete')
  })
})

describe('a call that runs on as a task', () => {
  const client = { capabilities: { extensions: { [TASKS_EXTENSION]: {} } }, version: '2026-07-28' } as const
  /** As 2025-11-25 has it: the gateway makes tasks of its own of such calls. */
  const older = async () => {
    const announce: Middleware = async (exchange, next) => {
      const outcome = await next()
      if (exchange.method !== 'tools/list' || outcome.type !== 'complete') return outcome
      const tools = (outcome.result.tools as object[]).map((one) => ({
        ...one,
        execution: { taskSupport: 'optional' },
      }))
      return complete({ ...outcome.result, tools })
    }
    const slow = tool({ run: () => new Promise<string>((resolve) => open.push(() => resolve('slow'))) })
    const a = new Server({ name: 'a', revisions: ['2025-11-25'], middleware: [announce], tools: { slow } })
    const { gateway } = await chainBench({ a }, { limits: { rates: [{ name: 'one', concurrent: 1 }] } })
    return async (method: string, params: JsonObject) =>
      gateway.endpoint()!.respond(liveExchange(method, params, { client }))
  }

  it('is under way until the task is over', async () => {
    open = []
    const ask = await older()
    const call = () => ask('tools/call', { name: 'a_slow' })
    expect((await call()).type).toBe('task')
    expect(kindOf(await call())).toBe('refused')
    for (const end of open) end()
    await expect.poll(async () => kindOf(await call())).toBe('task')
  })

  it('makes room when the task is cancelled', async () => {
    const ask = await older()
    const made = await ask('tools/call', { name: 'a_slow' })
    const { taskId } = (made as TaskHandle).task
    await ask('tasks/cancel', { taskId })
    await expect.poll(async () => kindOf(await ask('tools/call', { name: 'a_slow' }))).toBe('task')
  })
})

describe('a limit of a view', () => {
  const views = {
    desk: { use: ['a/*'], limits: { rates: [{ for: ['tools:a/search'], rate: '1/h' }] } },
    lab: { use: ['a/*'] },
  }

  it('counts the calls at this view, besides the limits of the gateway', async () => {
    const { gateway } = await chainBench({ a: app }, { views, limits: { rates: [{ rate: '5/h' }] } })
    const call = (endpoint: string | undefined, name: string): Promise<Outcome> =>
      Promise.resolve(
        gateway.endpoint(endpoint)!.respond(liveExchange('tools/call', { name, arguments: {} })),
      )
    const at = async (endpoint: string | undefined, name = 'a_search') => kindOf(await call(endpoint, name))
    expect([await at('desk'), await at('desk'), await at('desk', 'a_other')]).toEqual([
      'complete',
      'refused',
      'complete',
    ])
    expect([await at('lab'), await at(undefined), await at('a', 'search'), await at('lab')]).toEqual([
      'complete',
      'complete',
      'complete',
      'refused',
    ])
    expect(gateway.rates.refusedBy('desk limit 1')).toBe(1)
  })

  it.each<[string, RawConfig['views'], string]>([
    [
      'with a name that is taken',
      { desk: { use: ['a/*'], limits: { rates: [{ name: 'x', rate: '1/s' }] } } },
      'Two limits are called',
    ],
    ['without a number', { desk: { use: ['a/*'], limits: { rates: [{}] } } }, 'This limit has no number'],
    [
      'by an expression that cannot be read',
      { desk: { use: ['a/*'], limits: { rates: [{ by: 'claims.(', rate: '1/s' }] } } },
      'The expression cannot be used',
    ],
  ])('is reported %s', async (_what, views, message) => {
    const config = {
      mcpServers: { a: { command: 'a' } },
      views,
      limits: { rates: [{ name: 'x', rate: '1/s' }] },
    }
    const loaded = await configFromValue(config as RawConfig, {})
    expect(JSON.stringify(loaded.ok ? [] : loaded.problems)).toContain(message)
  })
})

describe('a quota of a day', () => {
  it('is full again at midnight', () => {
    const buckets = new LocalBuckets()
    const noon = Date.UTC(2026, 0, 1, 12)
    const quota = { capacity: 1, perSecond: 0, fullAt: Date.UTC(2026, 0, 2) }
    expect(buckets.spend([['quota', quota]], noon).granted).toBe(true)
    expect(buckets.spend([['quota', quota]], noon)).toMatchObject({
      granted: false,
      retryAfter: 12 * 60 * 60 * 1000,
    })
    expect(buckets.spend([['quota', quota]], Date.UTC(2026, 0, 2)).granted).toBe(true)
  })
})

it.each<[string, object, string]>([
  ['without a number', {}, 'This limit has no number'],
  ['with a rate that cannot be read', { rate: 'often' }, 'A rate is a number of calls'],
  ['by an expression that cannot be read', { by: 'claims.(', rate: '1/s' }, 'The expression cannot be used'],
])('a limit %s is reported', async (_what, rate, message) => {
  const config = { mcpServers: { a: { command: 'a' } }, limits: { rates: [rate] } } as RawConfig
  const loaded = await configFromValue(config, {})
  expect(JSON.stringify(loaded.ok ? [] : loaded.problems)).toContain(message)
})
