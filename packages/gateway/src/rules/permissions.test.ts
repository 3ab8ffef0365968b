import type { JsonObject } from '@gantry/mcp/exchange'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { keyPrincipal, parseObjectPattern, type PolicyModel } from '../model/index.ts'
import type { PolicyObject } from './facts.ts'
import { compileCondition } from './condition.ts'
import { Permissions } from './permissions.ts'

interface Rule {
  allow?: string[]
  deny?: string[]
  apiKeys?: string[]
}

function policyOf(fallback: 'allow' | 'deny', ...rules: Rule[]): PolicyModel {
  return {
    fallback,
    rules: rules.map(({ allow = [], deny = [], apiKeys = [] }, at) => ({
      name: `rule ${at + 1}`,
      who: { principals: [], scopes: [], apiKeys },
      allow: allow.map(parseObjectPattern),
      deny: deny.map(parseObjectPattern),
    })),
  }
}

const everyone = (fallback: 'allow' | 'deny', ...rules: Rule[]): Permissions =>
  new Permissions(policyOf(fallback, ...rules), {})
const object = (text: string): PolicyObject => {
  const { kind = 'tools', target, name } = parseObjectPattern(text)
  return { kind, target, name }
}

describe('what may be used', () => {
  it.each([
    ['the default', everyone('allow'), 'tools:x/a', true],
    ['the default', everyone('deny'), 'tools:x/a', false],
    ['an allow', everyone('deny', { allow: ['x/*'] }), 'tools:x/a', true],
    ['an allow of another target', everyone('deny', { allow: ['y/*'] }), 'tools:x/a', false],
    ['an allow of another kind', everyone('deny', { allow: ['prompts:x/*'] }), 'tools:x/a', false],
    [
      'a deny, which beats an allow',
      everyone('deny', { allow: ['*'] }, { deny: ['x/a'] }),
      'tools:x/a',
      false,
    ],
    ['a deny of a target in other letters', everyone('allow', { deny: ['X/a'] }), 'tools:x/a', false],
    ['an allow of a target in other letters', everyone('deny', { allow: ['X/a'] }), 'tools:x/a', false],
    ['a deny of something else', everyone('allow', { deny: ['x/b'] }), 'tools:x/a', true],
    ['a rule about others', everyone('allow', { deny: ['*'], apiKeys: ['ci'] }), 'tools:x/a', true],
    [
      'a deny in NFC of a name in NFD',
      everyone('allow', { deny: ['x/caf\u00e9'] }),
      'tools:x/cafe\u0301',
      false,
    ],
    [
      'a deny in NFD of a name in NFC',
      everyone('allow', { deny: ['x/cafe\u0301'] }),
      'prompts:x/caf\u00e9',
      false,
    ],
    [
      'an allow in NFC of a name in NFD',
      everyone('deny', { allow: ['x/caf\u00e9'] }),
      'tools:x/cafe\u0301',
      true,
    ],
    ['a deny in other case', everyone('allow', { deny: ['x/delete_*'] }), 'tools:x/Delete_All', false],
    ['an allow in other case', everyone('deny', { allow: ['x/read'] }), 'tools:x/Read', false],
    ['a deny of a full-width name', everyone('allow', { deny: ['x/drop'] }), 'tools:x/\uff44rop', false],
    ['an allow of a full-width name', everyone('deny', { allow: ['x/drop'] }), 'tools:x/\uff44rop', false],
    ['a deny of a name with a joiner', everyone('allow', { deny: ['x/drop'] }), 'tools:x/dr\u200bop', false],
    [
      'an allow of a name with a joiner',
      everyone('deny', { allow: ['x/drop'] }),
      'tools:x/dr\u200bop',
      false,
    ],
    ['a deny of an escaped name', everyone('allow', { deny: ['x/drop'] }), 'tools:x/%64rop', false],
    ['an allow of an escaped name', everyone('deny', { allow: ['x/drop'] }), 'tools:x/%64rop', false],
    [
      'a deny of a method in other case',
      everyone('allow', { deny: ['methods:x/Vendor/*'] }),
      'methods:x/vendor/do',
      false,
    ],
    ['a deny of a URI', everyone('allow', { deny: ['x/d://s/*'] }), 'resources:x/D://s/./a', false],
    ['an allow of a URI', everyone('deny', { allow: ['x/d://p/*'] }), 'resources:x/d://p/../s', false],
  ])('%s decides (%#)', (_by, permissions, text, expected) => {
    expect(permissions.maySee(object(text))).toBe(expected)
    expect(permissions.verdict(object(text)).allowed).toBe(expected)
  })

  it('names the rule that decided', () => {
    const permissions = everyone('allow', { allow: ['x/a'] }, { deny: ['x/b'] })
    expect(permissions.verdict(object('x/a')).rule).toBe('rule 1')
    expect(permissions.verdict(object('x/b')).rule).toBe('rule 2')
    expect(permissions.verdict(object('x/c')).rule).toBeUndefined()
  })

  it('is a question of who asks', () => {
    const policy = policyOf('deny', { allow: ['*'], apiKeys: ['ops'] })
    const as = (name: string) =>
      new Permissions(policy, { auth: { principal: keyPrincipal(name), scopes: [] } })
    expect(as('ops').maySee(object('x/a'))).toBe(true)
    expect(as('ci').maySee(object('x/a'))).toBe(false)
    expect(new Permissions(policy, {}).maySee(object('x/a'))).toBe(false)
  })
})

describe('methods that nobody knows', () => {
  it.each([
    ['nothing is denied', everyone('allow'), true],
    ['everything of the target is allowed', everyone('deny', { allow: ['x/*'] }), true],
    ['everything is allowed', everyone('deny', { allow: ['*'] }), true],
    ['they are named', everyone('deny', { allow: ['methods:x/vendor/*'] }), true],
    [
      'they are named, and other things are denied',
      everyone('allow', { allow: ['methods:x/*'], deny: ['tools:x/a'] }),
      true,
    ],
    ['something of another target is denied', everyone('allow', { deny: ['y/*'] }), true],
    ['a tool is denied', everyone('allow', { deny: ['tools:x/a'] }), false],
    ['a resource is denied', everyone('allow', { deny: ['resources:x/d://s/*'] }), false],
    ['only a tool is allowed', everyone('deny', { allow: ['tools:x/a'] }), false],
    ['only tools are allowed', everyone('deny', { allow: ['tools:x/*'] }), false],
    ['all is allowed but one tool', everyone('deny', { allow: ['x/*'], deny: ['x/a'] }), false],
    ['the target is denied', everyone('allow', { deny: ['x'] }), false],
    ['others are named', everyone('deny', { allow: ['methods:x/other/*'] }), false],
    ['they are denied', everyone('allow', { deny: ['methods:x/vendor/*'] }), false],
    ['nothing is allowed', everyone('deny'), false],
  ])('may be used or not where %s', (_where, permissions, expected) => {
    expect(permissions.maySee(object('methods:x/vendor/do'))).toBe(expected)
  })
})

describe('whether a target can be of any use', () => {
  it.each([
    [everyone('allow'), true],
    [everyone('deny'), false],
    [everyone('allow', { deny: ['x'] }), false],
    [everyone('allow', { deny: ['tools:x/*', 'prompts:x/*', 'resources:x/*'] }), false],
    [everyone('allow', { deny: ['tools:x/*'] }), true],
    [everyone('deny', { allow: ['tools:x/a'] }), true],
    [everyone('deny', { allow: ['tools:x/a'] }, { deny: ['x/*'] }), false],
    [everyone('deny', { allow: ['tools:x/abc'] }, { deny: ['tools:x/ab*'] }), false],
    [everyone('deny', { allow: ['tools:x/ab*'] }, { deny: ['tools:x/ab?'] }), true],
    [everyone('deny', { allow: ['tools:y/*'] }), false],
    [everyone('deny', { allow: ['methods:x/vendor/do'] }), true],
  ])('(%#)', (permissions, expected) => expect(permissions.mayCallSome('x')).toBe(expected))

  const pattern = fc.constantFrom(
    'x',
    'x/*',
    'tools:x/a',
    'tools:x/*',
    'x/a*',
    'prompts:x/b',
    'resources:x/*',
    '*',
  )
  const rules = fc.array(fc.record({ allow: fc.array(pattern), deny: fc.array(pattern) }), { maxLength: 3 })

  it('agrees with what is said of each thing', () => {
    fc.assert(
      fc.property(fc.constantFrom('allow' as const, 'deny' as const), rules, (fallback, all) => {
        const permissions = everyone(fallback, ...all)
        for (const kind of ['tools', 'prompts', 'resources'] as const) {
          const may = ['a', 'ab', 'b', 'c'].map((name) => permissions.maySee({ kind, target: 'x', name }))
          if (may.includes(true)) expect(permissions.mayCallSome('x', kind)).toBe(true)
          if (may.includes(false)) expect(permissions.mayCallAll('x', kind)).toBe(false)
          if (permissions.isOpen) expect(may).not.toContain(false)
        }
      }),
    )
  })
})

describe('another spelling of a caller', () => {
  const who = (subject: string) => ({
    principal: { kind: 'person' as const, issuer: 'https://i', subject },
    scopes: ['Tools:Write'],
  })
  const policy = (scopes: string[], subjects: string[]): PolicyModel => ({
    fallback: 'deny',
    rules: [
      {
        name: 'all',
        who: { principals: [], scopes: [], apiKeys: [] },
        allow: [parseObjectPattern('x/a')],
        deny: [],
      },
      {
        name: 'some',
        who: {
          principals: subjects.map((subject) => ({ kind: 'person', issuer: 'https://i', subject })),
          scopes,
          apiKeys: [],
        },
        allow: [parseObjectPattern('x/b')],
        deny: [parseObjectPattern('x/a')],
      },
    ],
  })
  const may = (model: PolicyModel, subject: string) =>
    ['tools:x/a', 'tools:x/b'].map((name) =>
      new Permissions(model, { auth: who(subject) }).maySee(object(name)),
    )

  it('is denied what the caller is denied, and not allowed what it is allowed', () => {
    const byName = policy([], ['ann@example.com'])
    expect(may(byName, 'ann@example.com')).toEqual([false, true])
    expect(may(byName, 'bob@example.com')).toEqual([true, false])
    for (const other of ['Ann@Example.com', 'ａnn@example.com', 'ann\u200b@example.com', ' ann@example.com'])
      expect([other, ...may(byName, other)]).toEqual([other, false, false])
    expect(may(policy(['tools:write'], []), 'bob')).toEqual([false, false])
  })
})

describe('what is remembered of a caller', () => {
  const auth = { principal: keyPrincipal('ci'), scopes: [] }
  const ruled = async (when: string): Promise<PolicyModel> => {
    const { fallback, rules } = policyOf('allow', { deny: ['tools:x/a'] })
    return { fallback, rules: [{ ...rules[0]!, when: await compileCondition(when) }] }
  }

  it('does not hide what another program of the same caller may see', async () => {
    const policy = await ruled('client.name == "bad"')
    const named = (name: string): Permissions =>
      new Permissions(policy, { auth, client: { info: { name, version: '1' }, version: '2026-07-28' } })
    expect(named('bad').maySee(object('tools:x/a'))).toBe(false)
    expect(named('good').maySee(object('tools:x/a'))).toBe(true)
    expect(named('bad').maySee(object('tools:x/a'))).toBe(false)
  })

  it('is nothing of the arguments of a call before', async () => {
    const policy = await ruled('has(args.amount) && args.amount > 5')
    const allows = (args: JsonObject): boolean =>
      new Permissions(policy, { auth }).verdict(object('tools:x/a'), { args, now: new Date() }).allowed
    expect([{}, { amount: 9 }, { amount: 1 }, { Amount: 9 }, { amount: 'many' }].map(allows)).toEqual([
      true,
      false,
      true,
      false,
      false,
    ])
  })
})
