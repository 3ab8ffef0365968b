import { LiveExchange, type ClientFacts, type JsonObject, type Outcome } from '@gantry/mcp/exchange'
import type { Implementation, ServerCapabilities } from '@gantry/mcp/server'
import { soundItem } from './sound-item.ts'

export interface FetchedLists {
  tools: JsonObject[]
  prompts: JsonObject[]
  resources: JsonObject[]
  templates: JsonObject[]
  skills: JsonObject[]
  /** How long the target says that its lists stay fresh; undefined when it does not say. */
  ttlMs: number | undefined
  /** `public` only when the target says so of every list. */
  cacheScope: 'public' | 'private'
}

/** More pages than this are an endless list. */
const MAX_PAGES = 1000
const METHOD_NOT_FOUND = -32601
export const SKILLS_EXTENSION = 'io.modelcontextprotocol/skills'

type Send = (exchange: LiveExchange) => Promise<Outcome>

/** Reads every list that a target says it has, all pages of it. */
export async function fetchLists(
  send: Send,
  capabilities: ServerCapabilities,
  info: Implementation,
): Promise<FetchedLists> {
  const facts: ListFacts = { send, info, ttls: [], scopes: [] }
  const none = Promise.resolve<JsonObject[]>([])
  const [tools, prompts, resources, templates, skills] = await Promise.all([
    capabilities.tools ? fetchAll('tools/list', 'tools', facts) : none,
    capabilities.prompts ? fetchAll('prompts/list', 'prompts', facts) : none,
    capabilities.resources ? fetchAll('resources/list', 'resources', facts) : none,
    capabilities.resources ? fetchAll('resources/templates/list', 'resourceTemplates', facts) : none,
    capabilities.extensions?.[SKILLS_EXTENSION] ? fetchAll('skills/list', 'skills', facts) : none,
  ])
  const ttlMs = facts.ttls.length > 0 ? Math.min(...facts.ttls) : undefined
  const isPublic = facts.scopes.length > 0 && facts.scopes.every((scope) => scope === 'public')
  const cacheScope = isPublic ? 'public' : 'private'
  return { tools, prompts, resources, templates, skills, ttlMs, cacheScope }
}

interface ListFacts {
  readonly send: Send
  readonly info: Implementation
  readonly ttls: number[]
  readonly scopes: unknown[]
}

async function fetchAll(method: string, member: string, facts: ListFacts): Promise<JsonObject[]> {
  const items: JsonObject[] = []
  const seen = new Set<string>()
  let cursor: string | undefined
  for (let page = 0; page < MAX_PAGES; page++) {
    const outcome = await facts.send(listExchange(method, cursor, facts.info))
    if (outcome.type !== 'complete') {
      // A capability that is declared but not served means an empty list, not a broken target.
      if (outcome.type === 'error' && outcome.error.code === METHOD_NOT_FOUND) return items
      throw new Error(outcome.type === 'error' ? outcome.error.message : `${method} asked for input`)
    }
    const { result } = outcome
    const found = result[member]
    for (const item of Array.isArray(found) ? found : []) {
      const sound = soundItem(item, member)
      if (sound) items.push(sound)
    }
    if (typeof result.ttlMs === 'number' && result.ttlMs >= 0) facts.ttls.push(result.ttlMs)
    facts.scopes.push(result.cacheScope)
    if (typeof result.nextCursor !== 'string') return items
    if (seen.has(result.nextCursor)) throw new Error(`${method} repeats a cursor`)
    seen.add(result.nextCursor)
    cursor = result.nextCursor
  }
  throw new Error(`${method} has more than ${MAX_PAGES} pages`)
}

function listExchange(method: string, cursor: string | undefined, info: Implementation): LiveExchange {
  const client: ClientFacts = { info, capabilities: {}, version: '2026-07-28' }
  return new LiveExchange({ method, params: cursor === undefined ? {} : { cursor }, client })
}
