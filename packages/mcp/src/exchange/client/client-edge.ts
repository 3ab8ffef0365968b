import { McpError, copyWith, isJsonObject, type JsonObject, toNumber } from '../../jsonrpc/index.ts'
import {
  type Discovery,
  type Era,
  type Revision,
  type ClientCapabilities,
  META,
  methodFacts,
  type ProgressToken,
  type Principal,
  samePrincipal,
  isLoggingLevel,
  LOG_LEVELS,
  type LoggingLevel,
  passesLevel,
} from '../../protocol/index.ts'
import { abortError } from '../plain-exchange.ts'
import type { Exchange, Notification, Outcome } from '../exchange.ts'
import { capabilitiesMeta, detachMeta, RELATED_REQUEST } from '../message-hints.ts'
import type { IncomingMessage } from '../wire.ts'

/** Mints the integer ids of one wire. Edges and probes that share a wire share the minter. */
export type IdMinter = () => number

/** One connected server, whatever its era, seen as a `Handle`. */
export interface ClientEdge {
  readonly era: Era
  readonly version: Revision
  /** The server's description of itself: `server/discover`, or the same facts from the handshake. */
  readonly discovery: Discovery
  /** Resolves with the server's answer, errors included. Rejects with an McpError when no answer comes. */
  readonly handle: (exchange: Exchange) => Promise<Outcome>
  /** Tells a legacy server something (`notifications/roots/list_changed`). Modern servers are told nothing. */
  notify(notification: Notification): Promise<void>
  /** Whether calls that other callers gave up may still make the server send something that names no call. */
  mayServeOthers?(exchange: Exchange): boolean
  /** Another connection takes over. Listeners have to listen there; calls under way go on here. */
  retire?(reason: Error): void
  /** Called once when the connection is gone, with the reason when it was not closed on purpose. */
  onClose: ((reason: Error | undefined) => void) | undefined
  close(): Promise<void>
}

/** Hears of each question that names no call: the calls that may have caused it, and whether it was refused. */
export type SharedQuestionListener = (exchanges: readonly Exchange[], isRefused: boolean) => void

export interface ClientEdgeOptions {
  ids?: IdMinter | undefined
  /** Rounds of questions answered through `exchange.ask` before a request is given up. Default 32. */
  maxRounds?: number | undefined
  /** Log messages that no request in flight asked for. */
  onLog?: ((notification: Notification) => void) | undefined
  /** All other notifications that belong to no request and to no listener. */
  onNotification?: ((notification: Notification) => void) | undefined
  /** Also told of questions that a modern server sends as requests, which must not be answered. */
  onSharedQuestion?: SharedQuestionListener | undefined
  /**
   * How long a question waits that calls of several owners may have caused, in ms: when the others have ended, it is
   * clear whose it is. Default 0: it is refused at once.
   */
  questionPatience?: number | undefined
  /** Results keep the text that they came in, for a relay that changes none of them in place. */
  keepsText?: boolean | undefined
  /**
   * The owner of a request. Default: its session and principal. A client of one user gives that user for all.
   */
  ownerOf?: OwnerOf | undefined
  /** HTTP headers that a single request shall have besides those of its connection, whatever the era. */
  extraHeaders?: ((exchange: Exchange) => Record<string, string> | undefined) | undefined
}

/** Some servers reject ids that are not integers, so we send nothing else. */
export function createIdMinter(): IdMinter {
  let last = 0
  return () => ++last
}

/** Waits for something that several callers share. A caller that gives up does not end it for the others. */
export async function orAbort<T>(shared: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return shared
  if (signal.aborted) throw abortError(signal)
  let onAbort = () => {}
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(abortError(signal))
    signal.addEventListener('abort', onAbort, { once: true })
  })
  try {
    return await Promise.race([shared, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

export function tooManyRounds(method: string, limit: number): McpError {
  return new McpError(
    'too_many_rounds',
    `The server still asked for input after ${limit} rounds of ${method}; raise maxRounds if that is expected`,
    { details: { method, limit } },
  )
}

/** Whether a request may end in `input_required` (MCP 2026-07-28, basic/patterns/mrtr). */
export function canAskForInput(method: string): boolean {
  return methodFacts(method)?.asksForInput === true
}

/** The token that the asking side wants to see in progress notifications. */
export function progressTokenOf(exchange: Exchange): ProgressToken | undefined {
  const meta = exchange.params._meta
  const token = isJsonObject(meta) ? meta.progressToken : undefined
  const isToken = typeof token === 'string' || toNumber(token) !== undefined
  return isToken ? (token as ProgressToken) : undefined
}

/** The params of a modern request, with our envelope and our own, unique progress token. */
export function modernParams(
  exchange: Exchange,
  params: JsonObject,
  envelope: { version: string; token: ProgressToken | undefined; namesLogs?: boolean },
): JsonObject {
  const { client, logLevel } = exchange
  const meta = withoutEnvelope(params._meta)
  meta[META.protocolVersion] = envelope.version
  if (client.info !== undefined) meta[META.clientInfo] = client.info
  meta[META.clientCapabilities] = client.capabilities
  if (logLevel !== undefined) {
    meta[META.logLevel] = logLevel
    if (envelope.namesLogs) meta[RELATED_REQUEST] = true
  }
  if (envelope.token !== undefined) meta.progressToken = envelope.token
  if (exchange.detach) Object.assign(meta, detachMeta(exchange))
  exchange.sending?.addTo?.(meta)
  return copyWith(params, '_meta', meta)
}

/** The params of a legacy request: no envelope, and no trace of rounds that this era does not know. */
export function legacyParams(
  exchange: Exchange,
  token: ProgressToken | undefined,
  declared: ClientCapabilities,
): JsonObject | undefined {
  const asks = canAskForInput(exchange.method)
  const params = asks ? withoutRounds(exchange.params) : { ...exchange.params }
  const meta: JsonObject = {
    ...withoutEnvelope(params._meta),
    ...detachMeta(exchange),
    ...(asks && capabilitiesMeta(exchange.client, declared)),
  }
  if (token !== undefined) meta.progressToken = token
  exchange.sending?.addTo?.(meta)
  if (Object.keys(meta).length > 0) params._meta = meta
  else delete params._meta
  return Object.keys(params).length > 0 ? params : undefined
}

function withoutRounds({
  inputResponses: _responses,
  requestState: _state,
  ...params
}: JsonObject): JsonObject {
  return params
}

/** Takes the JSON-RPC frame off; everything else stays. */
export function toNotification(message: IncomingMessage): Notification {
  const { jsonrpc: _, ...notification } = message
  return notification
}

/** Puts the caller's own token into a progress notification; undefined when the caller wants no progress. */
export function toCallerProgress(notification: Notification, exchange: Exchange): Notification | undefined {
  const token = progressTokenOf(exchange)
  if (token === undefined) return undefined
  return { ...notification, params: { ...notification.params, progressToken: token } }
}

/** Makes a copy. `delete` would make the object, and writing it as JSON, slow for ever. */
function withoutEnvelope(meta: unknown): JsonObject {
  if (!isJsonObject(meta)) return {}
  const {
    [META.protocolVersion]: _version,
    [META.clientInfo]: _info,
    [META.clientCapabilities]: _capabilities,
    [META.logLevel]: _level,
    // What the peer on one side asks for has no meaning on the other side.
    [RELATED_REQUEST]: _related,
    ...rest
  } = meta
  return rest
}

/** The owner of a request: a session of a principal. A request without session and principal is its own owner. */
export interface Owner {
  readonly session: string | undefined
  readonly principal: Principal | undefined
}

/** Undefined for a request that carries no user's data. The server's messages because of it are no user's secret. */
export type OwnerOf = (exchange: Exchange) => Owner | undefined

/** Modern requests have no session, so their principal decides. */
export function ownerOf(exchange: Exchange): Owner {
  return { session: exchange.session, principal: exchange.auth?.principal }
}

/** Two anonymous requests without a session may come from two people: each has an owner of its own. */
export function sameOwner(one: Owner, other: Owner): boolean {
  if (one === other) return true
  if (one.session === undefined && one.principal === undefined) return false
  return one.session === other.session && samePrincipal(one.principal, other.principal)
}

interface GivenUp {
  readonly owner: Owner
  readonly asks: boolean
}

/** How many calls are remembered one by one, and how many owners after that. */
const MAX_CALLS = 256
const MAX_OWNERS = 64

/** Abandoned calls stay candidates for nameless messages until answered, so that no other caller sees those. */
export class UnansweredCalls {
  readonly #calls = new Map<unknown, GivenUp>()
  readonly #owners: GivenUp[] = []
  #isFull = false

  add(id: unknown, call: GivenUp): void {
    this.#calls.set(id, call)
    if (this.#calls.size <= MAX_CALLS) return
    const [[oldest, forgotten]] = this.#calls as unknown as [[unknown, GivenUp]]
    this.#calls.delete(oldest)
    this.#keepOwner(forgotten)
  }

  answered(id: unknown): void {
    this.#calls.delete(id)
  }

  /** Whether a message that could be for this owner could also be for a call of another owner. */
  hasOther(owner: Owner, isQuestion: boolean): boolean {
    if (this.#isFull) return true
    const isOther = (call: GivenUp): boolean => (call.asks || !isQuestion) && !sameOwner(call.owner, owner)
    return this.#owners.some(isOther) || [...this.#calls.values()].some(isOther)
  }

  #keepOwner(call: GivenUp): void {
    if (this.#owners.some(({ owner, asks }) => asks === call.asks && sameOwner(owner, call.owner))) return
    if (this.#owners.length < MAX_OWNERS) this.#owners.push(call)
    else this.#isFull = true
  }
}

export function isLog(notification: Notification): boolean {
  return notification.method === 'notifications/message'
}

/** Whether a request asked for a log message of this level. Levels that we do not know are let through. */
export function wantsLog({ logLevel }: Exchange, notification: Notification): boolean {
  const level = notification.params?.level
  return passesLevel(isLoggingLevel(level) ? level : 'emergency', logLevel)
}

/** The least severe level that any of these requests wants; undefined when none wants logs. */
export function mostVerbose(levels: Iterable<LoggingLevel | undefined>): LoggingLevel | undefined {
  const wanted = new Set(levels)
  return LOG_LEVELS.find((level) => wanted.has(level))
}
