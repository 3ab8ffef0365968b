/** Every revision Gantry speaks, oldest first. */
export const REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const

export type Revision = (typeof REVISIONS)[number]
/** Legacy: a session opened by `initialize`. Modern: every request stands alone. */
export type Era = 'legacy' | 'modern'

const FIRST_MODERN: Revision = '2026-07-28'
export const LEGACY_REVISIONS: readonly Revision[] = /* @__PURE__ */ REVISIONS.filter(
  (one) => one < FIRST_MODERN,
)
export const MODERN_REVISIONS: readonly Revision[] = /* @__PURE__ */ REVISIONS.filter(isModern)
export const LATEST_LEGACY: Revision = '2025-11-25'
export const LATEST_MODERN: Revision = '2026-07-28'

export function isRevision(value: unknown): value is Revision {
  return (REVISIONS as readonly unknown[]).includes(value)
}

/** Whether requests of a revision stand alone. Revisions are dates, so later ones compare as greater. */
export function isModern(revision: string): boolean {
  return revision >= FIRST_MODERN
}

export function eraOf(revision: string): Era {
  return isModern(revision) ? 'modern' : 'legacy'
}

export interface MethodFacts {
  /** First and last revision that have the method. */
  readonly since: Revision
  readonly until: Revision
  /** Its complete result carries `ttlMs` and `cacheScope` (2026-07-28, Caching). */
  readonly cacheable?: true
  /** It may answer `input_required` (2026-07-28, Multi Round-Trip Requests). */
  readonly asksForInput?: true
  /** The member of `params` that the `Mcp-Name` header mirrors (2026-07-28, Streamable HTTP). */
  readonly named?: 'name' | 'uri' | 'taskId'
}

const FIRST: Revision = '2024-11-05'
const LAST_LEGACY: Revision = '2025-11-25'
const MODERN: Revision = '2026-07-28'

/** Which method exists when, and what is special about it. Methods that are not here belong to extensions. */
const METHODS: ReadonlyMap<string, MethodFacts> = new Map<string, MethodFacts>([
  ['initialize', { since: FIRST, until: LAST_LEGACY }],
  ['ping', { since: FIRST, until: LAST_LEGACY }],
  ['logging/setLevel', { since: FIRST, until: LAST_LEGACY }],
  ['resources/subscribe', { since: FIRST, until: LAST_LEGACY }],
  ['resources/unsubscribe', { since: FIRST, until: LAST_LEGACY }],
  ['server/discover', { since: MODERN, until: MODERN, cacheable: true }],
  ['subscriptions/listen', { since: MODERN, until: MODERN }],
  ['tools/list', { since: FIRST, until: MODERN, cacheable: true }],
  ['tools/call', { since: FIRST, until: MODERN, asksForInput: true, named: 'name' }],
  ['prompts/list', { since: FIRST, until: MODERN, cacheable: true }],
  ['prompts/get', { since: FIRST, until: MODERN, asksForInput: true, named: 'name' }],
  ['resources/list', { since: FIRST, until: MODERN, cacheable: true }],
  ['resources/templates/list', { since: FIRST, until: MODERN, cacheable: true }],
  ['resources/read', { since: FIRST, until: MODERN, cacheable: true, asksForInput: true, named: 'uri' }],
  ['completion/complete', { since: FIRST, until: MODERN }],
  ['tasks/get', { since: LAST_LEGACY, until: MODERN, named: 'taskId' }],
  ['tasks/result', { since: LAST_LEGACY, until: LAST_LEGACY }],
  ['tasks/list', { since: LAST_LEGACY, until: LAST_LEGACY }],
  ['tasks/update', { since: MODERN, until: MODERN, named: 'taskId' }],
  ['tasks/cancel', { since: LAST_LEGACY, until: MODERN, named: 'taskId' }],
  ['skills/list', { since: FIRST, until: MODERN, cacheable: true }],
  ['skills/get', { since: FIRST, until: MODERN, cacheable: true }],
  ['resources/directory/read', { since: FIRST, until: MODERN, cacheable: true }],
])

/** Every method of the table. */
export const METHOD_NAMES: readonly string[] = [...METHODS.keys()]

export function methodFacts(method: string): MethodFacts | undefined {
  return METHODS.get(method)
}

/** Requests of servers to clients. */
const ASKED_OF_CLIENTS: ReadonlySet<string> = new Set([
  'elicitation/create',
  'sampling/createMessage',
  'roots/list',
])

/** Whether a server of the revision may be asked for it. Extensions decide for themselves. */
export function isMethodInRevision(method: string, revision: Revision): boolean {
  if (ASKED_OF_CLIENTS.has(method) || method.startsWith('notifications/')) return false
  const facts = METHODS.get(method)
  return facts === undefined || (facts.since <= revision && revision <= facts.until)
}

/** The reserved `_meta` keys of MCP 2026-07-28 (basic, `_meta`). */
export const META = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  logLevel: 'io.modelcontextprotocol/logLevel',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  relatedTask: 'io.modelcontextprotocol/related-task',
} as const
