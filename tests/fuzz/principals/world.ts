import { fileURLToPath } from 'node:url'
import { testGateway, type TestGateway } from '../../support/start-gateway.ts'
import { Person } from './person.ts'

const DIARY = fileURLToPath(new URL('../../fixtures/diary-server.mjs', import.meta.url))
const BROKEN = fileURLToPath(new URL('../../fixtures/broken-server.mjs', import.meta.url))
const LEGACY = '2025-06-18,2025-11-25'
const MODERN = '2026-07-28'

/** Stands in command lines, environments and headers of targets. Nobody may ever read it. */
export const PLANTED = 'planted-secret-4711'

/** Targets that both may use, of each era and of both. */
export const SHARED = ['old', 'new', 'both', 'fragile'] as const

/** One with what both may use, where a parameter says who calls; and one with everything, as far as policy goes. */
const SHARED_VIEWS = {
  desk: {
    use: ['old/*', 'new/*', 'both/*'],
    tools: {
      'new/echo': {
        name: 'say',
        parameters: { mark: { fixed: { expression: '"private-of-" + principal.subject' } } },
      },
    },
  },
  hall: { use: ['*/*'] },
}

/** A view that one person may use alone. */
function viewOf({ name, page, vaults: [old, modern], view }: Person): Record<string, object> {
  return {
    [view]: {
      use: [`${old}/*`, `${modern}/*`],
      who: { apiKeys: [name] },
      tools: { [`${modern}/open_${page}`]: { name: `peek_${page}` } },
    },
  }
}

export interface World {
  readonly gateway: TestGateway
  readonly people: readonly [Person, Person]
  close(): Promise<void>
}

function diary(env: Record<string, string>, more: object = {}): object {
  return { command: process.execPath, args: [DIARY, '--api-key', PLANTED], env, ...more }
}

/** A gateway with targets that two people share, and targets that only one of them may use. */
export async function createWorld(): Promise<World> {
  const ann = new Person({ name: 'ann', vaults: ['cellar', 'attic'], page: 'lily' })
  const ben = new Person({ name: 'ben', vaults: ['garage', 'closet'], page: 'oak' })
  const vaultsOf = ({ mark, page, vaults: [old, modern] }: Person): Record<string, object> => ({
    [old]: diary({ DIARY: mark, PAGE: page, REVISIONS: LEGACY }),
    [modern]: diary({ DIARY: mark, PAGE: page, REVISIONS: MODERN }),
    // Fails with its secrets on standard error, which only operators may read.
    [`${old}-door`]: { command: process.execPath, args: [BROKEN, mark, '--api-key', PLANTED] },
  })
  const rules = [ann, ben].map((person) => ({
    name: `not for ${person.name}`,
    who: { apiKeys: [person.name] },
    deny: (person === ann ? ben : ann).vaults.flatMap((vault) => [vault, `${vault}-door`]),
  }))
  const gateway = await testGateway(
    {
      mcpServers: {
        old: diary({ REVISIONS: LEGACY }),
        new: diary({ REVISIONS: MODERN }),
        both: diary({}),
        fragile: diary({ REVISIONS: LEGACY }, { restart: { minDelay: '10ms', maxDelay: '50ms' } }),
        ...vaultsOf(ann),
        ...vaultsOf(ben),
      },
      auth: { apiKeys: [ann, ben].map(({ name, key }) => ({ name, key })) },
      policy: { rules },
      views: { ...SHARED_VIEWS, ...viewOf(ann), ...viewOf(ben) },
      results: [{ maxTokens: 500 }],
      limits: {
        rates: [
          { name: 'all', rate: '2000/s', burst: 5000 },
          { name: 'tells', for: ['tools:*/tell'], concurrent: 3 },
        ],
        repeatedErrors: { after: 2, pause: '2s' },
      },
    },
    { logLevel: 'error' },
  )
  for (const person of [ann, ben]) person.url = gateway.url
  return {
    gateway,
    people: [ann, ben],
    async close() {
      for (const person of [ann, ben]) person.close()
      await gateway.close()
    },
  }
}
