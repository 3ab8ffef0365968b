import { describe, expect, it } from 'vitest'
import type { Complete } from '@gantry/mcp/exchange'
import { Server } from '@gantry/mcp/server'
import { vaultServer } from '../vault-server.test.support.ts'
import { chainBench, modelOf } from '../chain.test.support.ts'
import { ResultFindings } from '../results/result-findings.ts'
import { ownAnswers } from './own-answers.ts'

const bench = await chainBench(
  { vault: vaultServer().app, other: new Server({ name: 'other', instructions: 'Ask the other' }) },
  {
    policy: {
      rules: [{ deny: ['tools:vault/closed', 'prompts:*/closed', 'resources:*/*closed*', 'other'] }],
    },
  },
)
const { catalog } = bench
const info = { name: 'gateway', version: '1' }
const { model } = bench.gateway
const answers = ownAnswers(
  { info, catalog, findings: new ResultFindings() },
  {
    ...model,
    server: { ...model.server, instructions: 'Ask us' },
    catalog: { ...model.catalog, pageSize: 1 },
  },
)
const ask = async (method: string, params = {}) =>
  (await answers[method]!(bench.exchange(method, params))) as Complete

describe('what an endpoint answers itself', () => {
  it.each([
    ['tools/list', 'tools'],
    ['prompts/list', 'prompts'],
    ['resources/list', 'resources'],
    ['resources/templates/list', 'resourceTemplates'],
    ['skills/list', 'skills'],
  ])('%s has what the caller may see, page by page', async (method, member) => {
    const shown: unknown[] = []
    for (let cursor: unknown, first = true; first || cursor !== undefined; first = false) {
      const { result } = await ask(method, cursor === undefined ? {} : { cursor })
      shown.push(...(result[member] as unknown[]))
      cursor = result.nextCursor
    }
    expect(JSON.stringify(shown)).toContain('open')
    expect(JSON.stringify(shown)).not.toContain('closed')
  })

  it('says of itself what is true for its caller', async () => {
    const { result } = await ask('server/discover')
    expect(result.instructions).toBe('Ask us\n\nThe vault holds everything')
    expect(result.capabilities).toMatchObject({ tools: {}, prompts: {}, resources: {} })
    expect(JSON.stringify(result)).not.toContain('other')
  })
})

describe('lists of resources', () => {
  const read = async () => ({ contents: [] })
  const app = new Server({
    name: 'crm',
    tools: { mail: { description: 'Such as ann@example.com', run: () => '' } },
    resources: {
      'ann@example.com': { uri: 'crm://ann@example.com', description: 'of ann@example.com', read },
      key: { uri: 'crm://key', description: 'AKIAABCDEFGHIJKLMNOP', read },
    },
    templates: {
      all: { uriTemplate: 'crm://{who}', title: 'as bob@example.com', read },
    },
  })

  it('have no more of the data than results, and the URIs by which it is read', async () => {
    const crm = await chainBench({ crm: app })
    const { results } = await modelOf({
      mcpServers: { crm: { module: 'crm' }, other: { module: 'other' } },
      results: [
        { for: ['resources:crm/*'], mask: ['email'], refuse: ['keys'] },
        { for: ['other/*'], drop: ['email'] },
      ],
    })
    const findings = new ResultFindings()
    const shown = ownAnswers({ info, catalog: crm.catalog, findings }, { ...crm.gateway.model, results })
    const list = async (method: string) => ((await shown[method]!(crm.exchange(method))) as Complete).result
    for (let times = 0; times < 2; times++) {
      expect((await list('resources/list')).resources).toEqual([
        expect.objectContaining({
          uri: 'crm+crm://ann@example.com',
          name: '[masked email]',
          description: 'of [masked email]',
        }),
      ])
      expect((await list('resources/templates/list')).resourceTemplates).toEqual([
        expect.objectContaining({ uriTemplate: 'crm+crm://{who}', title: 'as [masked email]' }),
      ])
    }
    expect(findings.counts).toMatchObject({ email: { mask: 3 }, 'vendor-key': { refuse: 1 } })
    expect(JSON.stringify(await list('tools/list'))).toContain('ann@example.com')
  })
})
