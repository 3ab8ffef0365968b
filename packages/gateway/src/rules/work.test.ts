import { describe, expect, it } from 'vitest'
import type { JsonObject } from '@gantry/mcp/exchange'
import { parseObjectPattern, type RuleSet } from '../model/index.ts'
import { compileCondition } from './condition.ts'
import { compileExpression } from './expression.ts'
import { Facts, KnownCall, KnownCaller, type Subject } from './facts.ts'
import { Permissions } from './permissions.ts'
import { cutShort, Work } from './work.ts'

const who = { principals: [], scopes: [], apiKeys: [] }
/** 78,000 steps: most of what one condition may cost. */
const LOOP = 'l.all(a, l.all(b, a >= 0 && b >= 0))'
const LIST = Array.from({ length: 280 }, (_, at) => at)
const TOGETHER = 'take too long together'

async function denying(count: number, when: (at: number) => string): Promise<RuleSet> {
  const rules = Array.from({ length: count }, async (_, at) => ({
    name: `rule ${at}`,
    who,
    allow: [],
    deny: [parseObjectPattern('tools:a/*')],
    when: await compileCondition(when(at)),
  }))
  return { fallback: 'allow', rules: await Promise.all(rules) }
}

const tool = (name: string) => ({ kind: 'tools', target: 'a', name }) as const
const called = (args: JsonObject, work?: Work) => ({ args, now: new Date(), work })
const inArgs = LOOP.replaceAll('l.all', 'args.l.all')
const inClaims = LOOP.replaceAll('l.all', 'claims.l.all')
const callerWith = (claims: JsonObject): Subject =>
  ({ principal: { kind: 'person', issuer: 'i', subject: 'ann' }, scopes: [], claims }) as never

describe('the conditions of one call', () => {
  it('may loop as long as they stay within what all of them may cost', async () => {
    const rules = await denying(5, (at) => `!${inArgs} || args.l.size() == ${at}`)
    expect(new Permissions(rules, {}).verdict(tool('x'), called({ l: LIST }))).toMatchObject({
      allowed: true,
    })
  })

  it('deny what is beyond, in bounded time', async () => {
    const rules = await denying(50, (at) => `!${inArgs} || args.l.size() == ${at}`)
    const before = process.cpuUsage().user
    const permissions = new Permissions(rules, {})
    const verdict = permissions.verdict(tool('x'), called({ l: LIST }))
    expect(verdict).toMatchObject({
      allowed: false,
      rule: 'rule 6',
      failure: expect.stringContaining(TOGETHER),
    })
    // Without a budget for all of them it would be eight times as long.
    expect((process.cpuUsage().user - before) / 1000).toBeLessThan(3_000)
    expect(permissions.verdict(tool('x'), called({ l: LIST.slice(0, 60) }))).toMatchObject({ allowed: true })
  })

  it('deny it with ten megabytes of arguments as well', async () => {
    const rules = await denying(
      50,
      (at) => `args.l.exists(a, args.l.exists(b, a + b == "${at}")) || args.s == "${at}"`,
    )
    const args = { l: Array.from({ length: 5_000 }, () => 'x'.repeat(200)), s: 'y'.repeat(10_000_000) }
    const before = process.cpuUsage().user
    expect(new Permissions(rules, {}).verdict(tool('x'), called(args))).toMatchObject({ allowed: false })
    expect((process.cpuUsage().user - before) / 1000).toBeLessThan(3_000)
  })

  it('are paid with what views and limits of the same call use', async () => {
    const work = new Work()
    const keys = await Promise.all(
      Array.from({ length: 6 }, (_, at) => compileExpression(`${inArgs} ? ${at} : 9`)),
    )
    const facts = () =>
      new Facts({ caller: new KnownCaller({}), call: new KnownCall(called({ l: LIST }, work)) })
    expect(keys.map((key) => key.evaluate(facts()))).toEqual([0, 1, 2, 3, 4, 5])
    expect(() => keys[0]!.evaluate(facts())).toThrow(TOGETHER)
    expect(() => keys[1]!.evaluate(facts())).toThrow(TOGETHER)
    const rules = await denying(1, () => `!${inArgs}`)
    const verdict = new Permissions(rules, {}).verdict(tool('x'), called({ l: LIST }, work))
    expect(verdict).toMatchObject({ allowed: false, failure: expect.stringContaining(TOGETHER) })
    expect(work.isSpent).toBe(true)
  })
})

describe('the conditions of one list', () => {
  const tools = Array.from({ length: 1000 }, (_, at) => tool(`tool ${at}`))
  const caller = { auth: callerWith({ l: LIST }) }

  it('hide what is beyond, in bounded time, and it is there when it is asked for alone', async () => {
    const rules = await denying(2, (at) => `tool == "${at}" || !${inClaims}`)
    const permissions = new Permissions(rules, caller)
    const work = new Work()
    const before = process.cpuUsage().user
    const seen = work.pay(() => tools.filter((one) => permissions.maySee(one)))
    expect((process.cpuUsage().user - before) / 1000).toBeLessThan(3_000)
    expect(seen.length).toBe(3)
    expect(work.isSpent).toBe(true)
    expect(permissions.maySee(tools[500]!)).toBe(true)
    expect(permissions.maySee(tools[999]!)).toBe(true)
  })

  it('are no longer cut short when what a caller has in all lists is known', async () => {
    const rules = await denying(50, (at) => `claims.l.size() == ${at} || !${inClaims}`)
    const permissions = new Permissions(rules, caller)
    const before = cutShort()
    expect(permissions.maySee(tools[0]!)).toBe(false)
    expect(cutShort()).toBeGreaterThan(before)
    // Each time some more rules are known to say nothing.
    const tries = Array.from({ length: 20 }, (_, at) => permissions.maySee(tools[at]!))
    expect(tries.at(-1)).toBe(true)
    const whole = cutShort()
    expect(new Work().pay(() => tools.every((one) => permissions.maySee(one)))).toBe(true)
    expect(cutShort()).toBe(whole)
  })
})
