import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '@gantry/mcp/exchange'
import { parseObjectPattern, type RuleSet } from '../model/index.ts'
import { compileCondition } from './condition.ts'
import { Permissions } from './permissions.ts'

const who = { principals: [], scopes: [], apiKeys: [] }
const item = {
  name: 'read',
  inputSchema: { type: 'object', properties: { path: {}, q: {}, Q: {} } },
} as const

async function verdictOf(rule: { allow?: string; deny?: string }, args: JsonObject | undefined) {
  const [effect, source] = rule.allow === undefined ? ['deny', rule.deny!] : ['allow', rule.allow]
  const patterns = [parseObjectPattern('tools:files/read')]
  const set: RuleSet = {
    fallback: effect === 'allow' ? 'deny' : 'allow',
    rules: [
      {
        name: 'one',
        who,
        allow: effect === 'allow' ? patterns : [],
        deny: effect === 'deny' ? patterns : [],
        when: await compileCondition(source),
      },
    ],
  }
  const object = { kind: 'tools', target: 'files', name: 'read', item } as const
  return new Permissions(set, {}).verdict(object, { args, now: new Date() })
}

/** What a server that knows no case, or reads names generously, takes for "path". */
const SPELLINGS = ['Path', 'PATH', 'path ', 'p\u200bath', '\uff50ath', 'pat%68']

it.each([
  { allow: 'args.n == 1' },
  { allow: '!has(args.n)' },
  { deny: 'args.n == 1' },
  { deny: 'false && args.n == 1 || has(args.n)' },
])('arguments that are no object are denied by %j', async (rule) => {
  expect(await verdictOf(rule, undefined)).toMatchObject({ allowed: false, failure: expect.any(String) })
})

describe('an argument under a name that servers could take for another', () => {
  it.each(SPELLINGS)('does not get past an allow beside the right one: %j', async (name) => {
    const allow = "args.path == '/public'"
    expect(await verdictOf({ allow }, { path: '/public' })).toMatchObject({ allowed: true })
    const verdict = await verdictOf({ allow }, { path: '/public', [name]: '/secret' })
    expect(verdict).toMatchObject({
      allowed: false,
      failure: expect.stringContaining('nearly the same name'),
    })
    expect(await verdictOf({ allow }, { [name]: '/secret', path: '/public' })).toMatchObject({
      allowed: false,
    })
  })

  it.each(SPELLINGS)('does not get past a deny that asks whether there is one: %j', async (name) => {
    const deny = "has(args.path) && args.path.startsWith('/secret')"
    expect(await verdictOf({ deny }, { depth: 1 })).toMatchObject({ allowed: true })
    expect(await verdictOf({ deny }, { [name]: '/secret' })).toMatchObject({ allowed: false })
    expect(await verdictOf({ deny: "'path' in args" }, { [name]: '/secret' })).toMatchObject({
      allowed: false,
    })
  })

  it.each(SPELLINGS)('does not get past within an object or a list: %j', async (name) => {
    for (const [allow, wrap] of [
      ["args.o.path == '/public'", (one: JsonObject) => ({ o: one })],
      ["args.o['path'] == '/public'", (one: JsonObject) => ({ o: one })],
      ["args.l.all(one, one.path == '/public')", (one: JsonObject) => ({ l: [{ path: '/public' }, one] })],
    ] as const) {
      expect(await verdictOf({ allow }, wrap({ path: '/public' }))).toMatchObject({ allowed: true })
      expect(await verdictOf({ allow }, wrap({ path: '/public', [name]: '/secret' }))).toMatchObject({
        allowed: false,
        failure: expect.stringContaining('nearly the same name'),
      })
    }
    for (const deny of ["has(args.o.path) && args.o.path == '/secret'", "'path' in args.o"]) {
      expect(await verdictOf({ deny }, { o: { depth: 1 } })).toMatchObject({ allowed: true })
      expect(await verdictOf({ deny }, { o: { [name]: '/secret' } })).toMatchObject({ allowed: false })
    }
  })

  it('is an argument of its own where the tool has both', async () => {
    expect(await verdictOf({ allow: 'args.q == 1' }, { q: 1, Q: 2 })).toMatchObject({ allowed: true })
  })

  it('denies what has more names than can be compared', async () => {
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`a${at}`, 1]))
    const verdict = await verdictOf({ allow: 'args.path == 1' }, { ...many, path: 1 })
    expect(verdict).toMatchObject({ allowed: false, failure: expect.stringContaining('more than') })
  })

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('means nothing as %s', async (name) => {
    const args = JSON.parse(`{"${name}":{"path":"/public"}}`) as JsonObject
    expect(await verdictOf({ allow: "args.path == '/public'" }, args)).toMatchObject({ allowed: false })
    expect(await verdictOf({ allow: `'${name}' in args` }, {})).toMatchObject({ allowed: false })
  })
})

/** What is in use after garbage was collected. */
function heapUsed(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}

it('long names of resources are not remembered', () => {
  const patterns = [parseObjectPattern('resources:files/secret*')]
  const set: RuleSet = { fallback: 'allow', rules: [{ name: 'one', who, allow: [], deny: patterns }] }
  const permissions = new Permissions(set, {})
  const filler = 'x'.repeat(200_000)
  const before = heapUsed()
  for (let at = 0; at < 2_000; at++) {
    // Made anew, as texts of requests are.
    const name = Buffer.from(`${at}:${filler}`).toString('latin1')
    permissions.verdict({ kind: 'resources', target: 'files', name })
  }
  // All of them would be 400 MB.
  expect(heapUsed() - before).toBeLessThan(100 * 1024 * 1024)
})
