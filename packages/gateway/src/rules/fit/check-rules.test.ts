import { describe, expect, it } from 'vitest'
import { parseObjectPattern, type RuleSet } from '../../model/index.ts'
import { checkRules, type Offer } from './check-rules.ts'
import { compileCondition } from '../condition.ts'

const REFUND = {
  name: 'create_refund',
  inputSchema: {
    type: 'object',
    properties: {
      amount: { type: 'number' },
      count: { type: 'integer' },
      currency: { type: 'string', enum: ['EUR', 'USD'] },
      customer: { $ref: '#/$defs/customer' },
      lines: { type: 'array', items: { type: 'object', properties: { price: { type: 'number' } } } },
      any: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      more: { type: 'object', additionalProperties: true, properties: { a: { type: 'string' } } },
    },
    $defs: { customer: { type: 'object', properties: { name: { type: 'string' } } } },
  },
}
const OPEN = { name: 'open', inputSchema: { type: 'object' } }
const LOOK = { name: 'look', inputSchema: { type: 'object', properties: {}, additionalProperties: false } }
const SPLIT = {
  name: 'split_refund',
  inputSchema: {
    type: 'object',
    allOf: [{ $ref: '#/$defs/Sum' }],
    oneOf: [{ properties: { way: { const: 'card' } } }, { properties: { way: { const: 'cash' } } }],
    $defs: { Sum: { properties: { amount: { type: 'number' } } } },
  },
}
const OFFER: Offer = {
  target: 'payments',
  tools: [REFUND, OPEN, LOOK, SPLIT],
  prompts: [{ name: 'letter', arguments: [{ name: 'to' }] }],
  resources: [{ uri: 'doc://plan', name: 'plan' }],
}

async function findings(when: string, pattern = 'tools:payments/create_refund'): Promise<string[]> {
  const place = { file: 'gantry.yaml', line: 7, column: 13 }
  const rule = {
    name: 'r',
    who: { principals: [], scopes: [], apiKeys: [] },
    allow: [],
    deny: [parseObjectPattern(pattern)],
    when: await compileCondition(when, place),
  }
  const set: RuleSet = { fallback: 'allow', rules: [rule] }
  return checkRules(set, [OFFER]).map((finding) => {
    expect(finding).toMatchObject({ rule: 'r', place })
    return finding.message
  })
}

describe('a condition about arguments', () => {
  it.each([
    ['args.amuont > 500', 'args.amuont is not a field of create_refund; did you mean amount?'],
    ['args["amuont"] > 500', 'args["amuont"] is not a field of create_refund; did you mean amount?'],
    ['tool == "x" || args.amuont > 1', 'args.amuont is not a field of create_refund; did you mean amount?'],
    ['args.zzz == 1', 'args.zzz is not a field of create_refund'],
    ['args.customer.nmae == "x"', 'args.customer.nmae is not a field of create_refund; did you mean name?'],
    ['args.lines.all(l, l.pirce > 1)', 'l.pirce is not a field of create_refund; did you mean price?'],
    [
      'has(args.amuont) && args.amuont > 1',
      'args.amuont is not a field of create_refund; did you mean amount?',
    ],
    ['args.count > "a"', 'For create_refund: no such overload: int > string'],
    ['args.currency > 1', 'For create_refund: no such overload'],
  ])('is compared with the schema: %s', async (when, message) => {
    expect((await findings(when)).join()).toContain(message)
  })

  it.each([
    'args.amount > 500',
    'args.amount == 500 || args.amount in [1, 2] || args.amount * 2 > 3.5',
    'args.count == 5.0 && args.count % 2 == 0',
    'args.currency == "EUR" && args.customer.name.startsWith("a")',
    'args.any == null || args.more.whatever == 1',
    '"amuont" in args',
    'size(args) > 3',
    'args.?amuont.orValue(1) == 1',
    'tool == "other" && args.amuont > 500',
    'claims.level > 2',
  ])('is good: %s', async (when) => {
    expect(await findings(when)).toEqual([])
  })

  it('may ask for a field that only some of its tools have, if it asks first', async () => {
    expect(await findings('has(args.amount) && args.amount > 500', 'tools:payments/*')).toEqual([])
    expect(await findings('args.amount > 500', 'tools:payments/*')).toEqual([
      'args.amount is not a field of look',
    ])
  })

  it('is compared with the arguments of prompts', async () => {
    expect(await findings('args.too == "x"', 'prompts:payments/letter')).toEqual([
      'args.too is not a field of letter; did you mean to?',
    ])
  })

  it('knows the fields of schemas that are put together', async () => {
    expect(await findings('args.amuont > 1', 'tools:payments/split_refund')).toEqual([
      'args.amuont is not a field of split_refund; did you mean amount?',
    ])
    expect(await findings('args.amount > 1 && args.way == "card"', 'tools:payments/split_refund')).toEqual([])
  })

  it('is not for resources, which have none', async () => {
    expect((await findings('args.amount > 1', 'resources:payments/*')).join()).toContain('write "tools:"')
    expect(await findings('kind == "tool" && tool == "open" && args.amount > 1', 'payments/*')).toEqual([])
  })
})

it('takes schemas of any kind', async () => {
  const endless: Record<string, unknown> = { type: 'object' }
  endless.properties = { self: endless }
  const schemas = [true, 7, null, [], { properties: [] }, { properties: { a: 1 } }, endless, { $ref: '#/x' }]
  for (const inputSchema of schemas) {
    const offer = { ...OFFER, tools: [{ name: 'create_refund', inputSchema: inputSchema as never }] }
    const rule = {
      name: 'r',
      who: { principals: [], scopes: [], apiKeys: [] },
      allow: [],
      deny: [parseObjectPattern('tools:*')],
      when: await compileCondition('args.self.self.self == 1'),
    }
    expect(() => checkRules({ fallback: 'allow', rules: [rule] }, [offer])).not.toThrow()
  }
})
