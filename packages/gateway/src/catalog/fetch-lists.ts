import { isKept, toNumber, type JsonObject, type Outcome } from '@gantry/mcp/exchange'
import type { Discovery, Implementation, ServerCapabilities } from '@gantry/mcp/server'
import { OwnExchange } from '../targets/connected/target-exchange.ts'
import { identityOf, repairItem } from './repair-item.ts'
import { visibleText } from './visible-text.ts'
import { SAME } from '../targets/connection/older-era.ts'
import type { Target } from '../targets/target.ts'

export type ListKind = 'tools' | 'prompts' | 'resources' | 'templates'

type Lists = Record<ListKind | 'skills', JsonObject[]>

export interface FetchedLists extends Lists {
  /** How long the target says that its lists stay fresh; undefined when it does not say. */
  ttlMs: number | undefined
  /** `public` only when the target says so of every list. */
  cacheScope: 'public' | 'private'
}

/** The last lists of a target. */
export interface Snapshot extends FetchedLists {
  readonly discovery: Discovery
  readonly fetchedAt: number
}

/** More pages than this are an endless list. */
const MAX_PAGES = 1000
const METHOD_NOT_FOUND = -32601
export const SKILLS_EXTENSION = 'io.modelcontextprotocol/skills'

type Send = (exchange: OwnExchange) => Promise<Outcome>

export interface FetchOptions {
  readonly send: Send
  readonly capabilities: ServerCapabilities
  readonly info: Implementation
  /** The lists that were known before. A list that cannot be fetched stays as it was. */
  readonly before: Lists | undefined
}

export interface Fetched {
  readonly lists: FetchedLists
  /** Why lists could not be fetched. */
  readonly failures: readonly unknown[]
  /** Whether nothing at all is known of one of those. */
  readonly lacking: boolean
}

/** A list that cannot be used. Only `what` is for callers: the rest is in the target's own words. */
export class ListError extends Error {
  readonly what: string

  constructor(what: string, detail?: string) {
    super(detail === undefined ? what : `${what}: ${detail}`)
    this.name = 'ListError'
    this.what = what
  }
}

/** Reads all pages of every list that a target says it has. A list that fails does not harm the others. */
export async function fetchLists(options: FetchOptions): Promise<Fetched> {
  const facts: ListFacts = { ...options, ttls: [], scopes: [] }
  const wanted = wantedLists(options.capabilities)
  const settled = await Promise.allSettled(
    wanted.map(({ method, member }) => fetchAll(method, member, facts)),
  )
  const failures = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []))
  if (failures.length > 0 && failures.length === settled.length) throw failures[0]
  const lists: Lists = { tools: [], prompts: [], resources: [], templates: [], skills: [] }
  for (const [at, { kind }] of wanted.entries()) {
    const one = settled[at]!
    lists[kind] = one.status === 'fulfilled' ? one.value : (options.before?.[kind] ?? [])
  }
  const lacking = failures.length > 0 && !options.before
  return { lists: { ...lists, ...cachingOf(facts) }, failures, lacking }
}

interface WantedList {
  readonly kind: keyof Lists
  readonly method: string
  readonly member: string
}

function wantedLists({ tools, prompts, resources, extensions }: ServerCapabilities): WantedList[] {
  const wanted: WantedList[] = []
  if (tools) wanted.push({ kind: 'tools', method: 'tools/list', member: 'tools' })
  if (prompts) wanted.push({ kind: 'prompts', method: 'prompts/list', member: 'prompts' })
  if (resources) {
    wanted.push({ kind: 'resources', method: 'resources/list', member: 'resources' })
    wanted.push({ kind: 'templates', method: 'resources/templates/list', member: 'resourceTemplates' })
  }
  if (extensions?.[SKILLS_EXTENSION]) wanted.push({ kind: 'skills', method: 'skills/list', member: 'skills' })
  return wanted
}

function cachingOf(facts: ListFacts): Pick<FetchedLists, 'ttlMs' | 'cacheScope'> {
  const ttlMs = facts.ttls.length > 0 ? Math.min(...facts.ttls) : undefined
  const isPublic = facts.scopes.length > 0 && facts.scopes.every((scope) => scope === 'public')
  return { ttlMs, cacheScope: isPublic ? 'public' : 'private' }
}

interface ListFacts {
  readonly send: Send
  readonly info: Implementation
  readonly ttls: number[]
  readonly scopes: unknown[]
}

async function fetchAll(method: string, member: string, facts: ListFacts): Promise<JsonObject[]> {
  const items: JsonObject[] = []
  const named = new Set<unknown>()
  const seen = new Set<string>()
  let cursor: string | undefined
  for (let page = 0; page < MAX_PAGES; page++) {
    const outcome = await facts.send(listExchange(method, cursor, facts.info))
    if (outcome.type !== 'complete') {
      // A capability that is declared but not served means an empty list, not a broken target.
      if (outcome.type === 'error' && outcome.error.code === METHOD_NOT_FOUND) return items
      if (outcome.type === 'error') throw new ListError(`${method} failed`, outcome.error.message)
      throw new ListError(`${method} asked for input`)
    }
    const { result } = outcome
    const found = result[member]
    for (const item of Array.isArray(found) ? found : []) {
      const sound = repairItem(item, member)
      const name = sound && identityOf(sound, member)
      // When two items have the same name, only the first is kept: a call could not say which one it means.
      if (!sound || (name !== undefined && named.has(name))) continue
      named.add(name)
      items.push(visibleText(sound))
    }
    const ttlMs = toNumber(result.ttlMs)
    if (ttlMs !== undefined && ttlMs >= 0) facts.ttls.push(ttlMs)
    facts.scopes.push(result.cacheScope)
    if (typeof result.nextCursor !== 'string') return items
    if (!isKept('cursor', result.nextCursor)) throw new ListError(`${method} has a cursor that is too long`)
    if (seen.has(result.nextCursor)) throw new ListError(`${method} repeats a cursor`)
    seen.add(result.nextCursor)
    cursor = result.nextCursor
  }
  throw new ListError(`${method} has more than ${MAX_PAGES} pages`)
}

function listExchange(method: string, cursor: string | undefined, info: Implementation): OwnExchange {
  return new OwnExchange(info, { method, params: cursor === undefined ? {} : { cursor } })
}

const KINDS = { tools: 'name', prompts: 'name', resources: 'uri' } as const

/** Adds what a dual-era server offers in the older era alone, and tells the target where each is found. */
export async function addOlderLists(
  lists: FetchedLists,
  target: Target,
  info: Implementation,
): Promise<FetchedLists> {
  const { older } = target
  const fetched =
    older?.connection &&
    (await fetchLists({
      send: (exchange) => target.handleOwn(exchange, older),
      capabilities: older.connection.discovery.capabilities,
      info,
      before: undefined,
    }).catch(() => undefined))
  const onlyOlder = new Set<string>()
  const onlyNewer = new Set<string>()
  const all = { ...lists }
  for (const [kind, member] of fetched ? Object.entries(KINDS) : []) {
    const list = kind as keyof typeof KINDS
    const [newer, olderItems] = [lists[list], fetched!.lists[list]]
    const more = without(olderItems, newer, member)
    all[list] = [...newer, ...more]
    for (const item of more) onlyOlder.add(`${list} ${String(item[member])}`)
    for (const item of without(newer, olderItems, member)) onlyNewer.add(`${list} ${String(item[member])}`)
  }
  target.olderEra.differences = onlyOlder.size + onlyNewer.size > 0 ? { onlyOlder, onlyNewer } : SAME
  return all
}

/** The items that another list does not have. */
function without(items: readonly JsonObject[], other: readonly JsonObject[], member: string): JsonObject[] {
  const names = new Set(other.map((item) => item[member]))
  return items.filter((item) => !names.has(item[member]))
}
