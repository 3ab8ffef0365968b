import { expect, it } from 'vitest'
import type { AuthInfo, ClientFacts, Exchange } from '@gantry/mcp/exchange'
import { Server } from '@gantry/mcp/server'
import { chainBench } from '../chain.test.support.ts'
import { GatewayExchange, type Resolved } from '../gateway-exchange.ts'
import { type Ending, factsOf } from './exchange-facts.ts'
import { LikeFacts } from './like-facts.ts'

const bench = await chainBench({ a: new Server({ name: 'a' }) })
const OK: Ending = {
  decision: 'allowed',
  rule: undefined,
  status: 'success',
  outcome: 'ok',
  stage: 'outcome',
}
const client: ClientFacts = { info: { name: 'app', version: '1' }, capabilities: {}, version: '2026-07-28' }
const ann: AuthInfo = {
  principal: { kind: 'person', issuer: 'https://id.example', subject: 'ann' },
  scopes: [],
  claims: {},
}

interface Change extends Partial<Pick<Exchange, 'auth' | 'session' | 'peer' | 'headers'>> {
  readonly method?: string
  readonly name?: string
  readonly client?: ClientFacts
  readonly resolved?: Partial<Resolved>
  readonly view?: string
}

function request({ method = 'tools/call', name = 'read', resolved, view, ...init }: Change): GatewayExchange {
  const made = bench.exchange(method, { name }, { client, peer: '127.0.0.1', ...init })
  const exchange =
    view === undefined ? made : new GatewayExchange(made.origin, { ...made.endpoint, name: view })
  if (resolved)
    exchange.resolved = { kind: 'tools', name, target: { name: 'notes' }, ...resolved } as Resolved
  return exchange
}

const as = (change: Partial<AuthInfo>): Change => ({ auth: { ...ann, ...change } })
const principal = (change: object): Change => as({ principal: { ...ann.principal, ...change } })

/** Each differs from the others in one thing. */
const KINDS: readonly (readonly [Change, Partial<Ending>])[] = [
  [{}, {}],
  [{ method: 'prompts/get' }, {}],
  [{ name: 'write' }, {}],
  [{ resolved: {} }, {}],
  [{ resolved: { kind: 'prompts' } }, {}],
  [{ resolved: { target: { name: 'other' } as Resolved['target'] } }, {}],
  [{ client: { ...client, info: { name: 'other', version: '1' } } }, {}],
  [{ client: { ...client, info: undefined } }, {}],
  [{ client: { ...client, version: '2025-11-25' } }, {}],
  [{ session: 'app' }, {}],
  [{ peer: '127.0.0.2' }, {}],
  [{ peer: undefined, headers: {} }, {}],
  [as({}), {}],
  [as({ clientId: 'c' }), {}],
  [as({ claims: { act: { sub: 'robot' } } }), {}],
  [principal({ kind: 'workload' }), {}],
  [principal({ issuer: 'https://other.example' }), {}],
  [principal({ subject: 'app' }), {}],
  [{}, { rule: 'r' }],
  [{}, { decision: 'denied' }],
  [{}, { outcome: 'task' }],
  [{}, { status: 'other' }],
  [{}, { stage: 'decision' }],
  [{ view: 'support' }, {}],
]

it('gives every request its own facts, whichever came before', () => {
  const like = new LikeFacts()
  const seen = new Set<string>()
  for (const [change, ending] of [...KINDS, ...KINDS.toReversed()]) {
    const ended = { ...OK, ...ending }
    const expected = factsOf(request(change), ended)
    expect(like.find(request(change), ended)).toEqual(expected)
    seen.add(JSON.stringify(expected))
  }
  expect(seen.size).toBe(KINDS.length)
})

it('makes the facts of like requests once', () => {
  const like = new LikeFacts()
  const first = like.find(request(as({})), OK)
  expect(like.find(request(as({})), OK)).toBe(first)
})

it('keeps a bounded number, and no long names', () => {
  const like = new LikeFacts()
  for (const change of [{ name: 'x y'.repeat(1000) }, { session: 'x y'.repeat(1000) }]) {
    const facts = like.find(request(change), OK)
    expect(facts.object!.name.length).toBeLessThan(1002)
    expect(like.find(request(change), OK)).not.toBe(facts)
  }
  const first = like.find(request({}), OK)
  for (let at = 0; at < 2000; at++) like.find(request({ name: `tool ${at}` }), OK)
  expect(like.find(request({}), OK)).not.toBe(first)
})
