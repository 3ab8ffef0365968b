import { describe, expect, it } from 'vitest'
import type { Complete } from '@gantry/mcp/exchange'
import { Server } from '@gantry/mcp/server'
import { vaultServer } from '../vault-server.test.support.ts'
import { chainBench } from '../chain.test.support.ts'
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
  { info, catalog },
  { server: { ...model.server, instructions: 'Ask us' }, catalog: { ...model.catalog, pageSize: 1 } },
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
