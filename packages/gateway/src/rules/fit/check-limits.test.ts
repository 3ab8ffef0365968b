import { expect, it } from 'vitest'
import type { JsonObject } from '@gantry/mcp/exchange'
import { configFromValue, type RawConfig } from '../../config/index.ts'
import { checkLimits } from './check-limits.ts'

const tool = (name: string, properties: JsonObject): JsonObject => ({
  name,
  inputSchema: { type: 'object', properties },
})
const offer = {
  target: 'web',
  tools: [
    tool('crawl', { pages: { type: 'integer' }, site: { type: 'string' } }),
    tool('look', {}),
    { name: 'anything', inputSchema: { type: 'object', additionalProperties: true } },
  ],
  prompts: [{ name: 'letter', arguments: [{ name: 'to' }] }],
  resources: [{ uri: 'doc://plan', name: 'plan' }],
}

type Rate = NonNullable<NonNullable<RawConfig['limits']>['rates']>[number]

async function load(rate: Partial<Rate>): Promise<Awaited<ReturnType<typeof configFromValue>>> {
  const rates = [{ name: 'crawling', rate: '9/m', ...rate }]
  return configFromValue({ mcpServers: { web: { command: 'x' } }, limits: { rates } } as RawConfig, {})
}

async function findings(rate: Partial<Rate>): Promise<string[]> {
  const loaded = await load(rate)
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems))
  const found = await checkLimits(loaded.model.limits.rates, [offer])
  return found.map(({ limit, message }) => {
    expect(limit).toBe('crawling')
    return message
  })
}

const crawl = { for: ['tools:web/crawl'] }

it.each<[string, Partial<Rate>, string]>([
  ['by', { ...crawl, by: 'args.stie' }, 'args.stie is not a field of crawl; did you mean site?'],
  [
    'cost',
    { ...crawl, cost: { expression: 'args.pagse * 2' } },
    'args.pagse is not a field of crawl; did you mean pages?',
  ],
  [
    'cost',
    { ...crawl, cost: { expression: 'args.pages + args.site' } },
    'For crawl: no such overload: int + string',
  ],
  [
    'cost',
    { ...crawl, cost: { expression: 'args.site' } },
    'For crawl: args.site gives a string, not a number',
  ],
  ['tools', { for: ['tools:web/*'], by: 'args.site' }, 'args.site is not a field of look'],
  ['resources', { for: ['resources:*'], by: 'args.site' }, 'args.site is not a field of doc://plan'],
  ['prompts', { for: ['prompts:*'], by: 'args.too' }, 'args.too is not a field of letter; did you mean to?'],
  [
    'guards',
    { for: ['tools:web/crawl', 'tools:web/look'], by: 'has(args.stie) ? args.stie : "none"' },
    'args.stie is not a field of any of the 2 that it is about; did you mean site?',
  ],
])('an expression of a limit is compared with what it counts (%s): %j', async (_what, rate, wanted) => {
  const messages = await findings(rate)
  expect(messages.join()).toContain(wanted)
  expect(messages).toHaveLength(1)
})

it.each<Partial<Rate>>([
  { ...crawl, by: 'args.site', cost: { expression: 'args.pages * 2' } },
  { cost: { expression: 'tool == "crawl" ? args.pages : 1' } },
  { cost: { expression: '1 + (kind == "tool" && tool.matches("^cra") ? args.pages : 1)' } },
  { by: 'tool == "crawl" && args.pages > 3' },
  { for: ['tools:web/*'], by: 'has(args.site) ? args.site : "none"' },
  { for: ['web/anything'], by: 'args.whatever' },
  { by: 'principal.subject' },
])('takes good expressions: %j', async (rate) => {
  expect(await findings(rate)).toEqual([])
})

it.each<[string, Partial<Rate>]>([
  ['A cost has to be a number', { cost: { expression: '"a" + tool' } }],
  ['count() is for conditions of rules only', { cost: { expression: 'count("1h")' } }],
])('refuses an expression that can never do: %s', async (message, rate) => {
  const loaded = await load(rate)
  expect(JSON.stringify(loaded.ok || loaded.problems)).toContain(message)
})
