import { describe, expect, it } from 'vitest'
import { complete, InsufficientScope, type AuthInfo, type ExchangeInit } from '@gantry/mcp/exchange'
import { Server, tool } from '@gantry/mcp/server'
import type { GatewayModel, TargetModel } from '../../model/index.ts'
import { answering, chainBench } from '../chain.test.support.ts'
import type { GatewayExchange } from '../gateway-exchange.ts'
import { accountsLink } from './accounts-link.ts'
import { NO_CONSENT, type Consent } from './consent.ts'
import { ownListsLink } from './own-lists-link.ts'

const bench = await chainBench({ box: new Server({ name: 'box', tools: { open: tool({ run: () => '' }) } }) })
const [catalog] = bench.catalog.catalogs
/** The same target, used with an account of each person. */
const personal: TargetModel = {
  ...catalog!.target.model,
  credentials: { kind: 'user' } as TargetModel['credentials'],
}
const ISSUER = 'https://gateway.example'
const model = {
  ...bench.gateway.model,
  targets: [personal],
  auth: { ...bench.gateway.model.auth, signIn: { ownIssuer: ISSUER } },
} as unknown as GatewayModel

const person = (claims: AuthInfo['claims'] = {}): AuthInfo => ({
  principal: { kind: 'person', issuer: ISSUER, subject: 'ann' },
  scopes: ['read'],
  claims,
})
const consent = (isConnected: () => boolean): Consent => ({
  ...NO_CONSENT,
  has: async () => isConnected(),
  link: async () => 'https://gateway.example/connect/abc',
})

function call(init: Partial<ExchangeInit>, params: ExchangeInit['params'] = {}): GatewayExchange {
  const exchange = bench.exchange('tools/call', { name: 'box_open', ...params }, init)
  const target = { model: personal, name: 'box', ownConnections: () => [] } as never
  const uris = bench.catalog.urisOf(catalog!)
  exchange.resolve({
    target,
    capabilities: {},
    catalog: catalog!,
    kind: 'tools',
    name: 'open',
    params: exchange.params,
    uris,
    safe: true,
  })
  return exchange
}

const urls = { capabilities: { elicitation: { url: {} } }, version: '2026-07-28' as const }

describe('the link of accounts', () => {
  it('is left out where no target has accounts of people', () => {
    expect(accountsLink(bench.gateway.model, NO_CONSENT)).toBeUndefined()
    expect(ownListsLink(bench.gateway.model, { catalog: bench.catalog, consent: NO_CONSENT })).toBeUndefined()
  })

  it('refuses a caller that is no person, without making the call', async () => {
    const next = answering()
    const outcome = await accountsLink(model, NO_CONSENT)!(call({}), next.next)
    expect(outcome).toMatchObject({ result: { isError: true, _meta: { 'dev.gantry/account': 'no-person' } } })
    expect(next.calls).toBe(0)
  })

  it('makes the call of a caller whose account is there', async () => {
    const outcome = complete({ content: [] })
    const link = accountsLink(
      model,
      consent(() => true),
    )!
    expect(await link(call({ auth: person() }), answering(outcome).next)).toBe(outcome)
  })

  it('sends the client to a page, where it can open one', async () => {
    const next = answering()
    const link = accountsLink(
      model,
      consent(() => false),
    )!
    expect(await link(call({ auth: person(), client: urls }), next.next)).toMatchObject({
      type: 'input_required',
      inputRequests: {
        'gantry-account': { params: { mode: 'url', url: 'https://gateway.example/connect/abc' } },
      },
    })
    expect(next.calls).toBe(0)
  })

  it('makes the call after the page, without the answer to its own question', async () => {
    let looks = 0
    const link = accountsLink(model, {
      ...consent(() => looks++ > 0),
      changed: async () => {},
    })!
    const inputResponses = { 'gantry-account': { action: 'accept' }, other: { action: 'accept' } }
    const exchange = call({ auth: person(), client: urls }, { inputResponses })
    const next = answering()
    await link(exchange, next.next)
    expect(next.calls).toBe(1)
    expect(exchange.params.inputResponses).toEqual({ other: { action: 'accept' } })
  })

  it('takes an answer for no account: declined is declined, and accepted is looked at', async () => {
    const link = accountsLink(
      model,
      consent(() => false),
    )!
    const answered = (action: string) =>
      call({ auth: person(), client: urls }, { inputResponses: { 'gantry-account': { action } } })
    expect(await link(answered('decline'), answering().next)).toMatchObject({
      result: { _meta: { 'dev.gantry/account': 'declined' } },
    })
  })

  it('asks a client that signed in here for a scope once, and then gives it the link', async () => {
    const next = answering()
    const link = accountsLink(
      model,
      consent(() => false),
    )!
    const ask = () => link(call({ auth: person({ iss: ISSUER }) }), next.next)
    await expect(ask()).rejects.toBeInstanceOf(InsufficientScope)
    const outcome = await ask()
    expect(outcome).toMatchObject({ result: { _meta: { 'dev.gantry/account': 'not-connected' } } })
    expect(JSON.stringify(outcome)).toContain('https://gateway.example/connect/abc')
    expect(next.calls).toBe(0)
  })
})

describe('the lists of a target that tells strangers nothing', () => {
  const fetched: string[] = []
  const own = {
    ...catalog!,
    target: { model: { ...personal, enabled: true }, connectFor: async () => 'key of ann' },
    isInvitation: true,
    own: { of: () => undefined },
    fetchOwn: async (key: string) => void fetched.push(key),
  }
  const view = { catalogs: [own], prefixOf: () => 'box', separator: '_' } as never
  const lists = (isConnected: boolean) =>
    ownListsLink(model, { catalog: view, consent: consent(() => isConnected) })!

  it.each([
    ['a caller with an account', person(), true, ['key of ann']],
    ['a caller without one', person(), false, []],
    ['a caller without a name', undefined, true, []],
  ])('are fetched for %s or not, and the request goes on', async (_who, auth, isConnected, keys) => {
    fetched.length = 0
    const next = answering()
    await lists(isConnected)(bench.exchange('tools/list', {}, auth ? { auth } : {}), next.next)
    expect(fetched).toEqual(keys)
    expect(next.calls).toBe(1)
  })
})
