import {
  type NumberMode,
  ProtocolError,
  INVALID_PARAMS,
  INVALID_REQUEST,
  INTERNAL_ERROR,
  type JsonObject,
  discardLate,
  LateJson,
  NotReadYet,
  toPieces,
  writeJson,
  type JsonRpcError,
  type JsonRpcRequest,
  type RequestId,
} from '../../jsonrpc/index.ts'
import {
  LATEST_LEGACY,
  LEGACY_REVISIONS,
  MODERN_REVISIONS,
  type Implementation,
  type Revision,
  META,
  shapeError,
  shapeResult,
  shapeTask,
  withServerInfo,
} from '../../protocol/index.ts'
import { type Budget, tooLongIn } from '../../protocol/callers.ts'
import {
  type Exchange,
  type Handle,
  type Outcome,
  failure,
  type Complete,
  type Notification,
} from '../exchange.ts'
import type { AskedMessage } from '../message-hints.ts'
import type { PlainExchange } from '../plain-exchange.ts'
import type { ReceivedResult } from '../received-result.ts'

/** The part behind a server edge: a server, or a gateway's chain. */
export interface Served {
  readonly info: Implementation
  readonly respond: Handle
  /** The revisions offered to clients; all of them unless pinned. */
  readonly revisions?: readonly Revision[] | undefined
  /** Refuse requests that arrive before `initialize` on a legacy connection. */
  readonly strict?: boolean | undefined
  /** What becomes of numbers in requests that a double does not hold. Default `rounded`. */
  readonly numbers?: NumberMode | undefined
  /** How long a legacy client may take to answer a question, in milliseconds. */
  readonly answerTimeout?: number | undefined
  /** Counts the questions that legacy clients have not answered. Default: 1,000 of a caller, 10,000 in all. */
  readonly questions?: Budget | undefined
  /** Wraps what an edge answers by itself (`initialize`, `ping`), as `respond` wraps everything else. */
  readonly around?:
    | ((exchange: Exchange, run: () => Outcome | Promise<Outcome>) => Promise<Outcome>)
    | undefined
  /** Given where there are no tasks of 2025-11-25: edges take calls that ask for one for ordinary calls. */
  readonly withoutOlderTasks?: ((message: AskedMessage) => JsonObject) | undefined
  /** Called when a session of an older client has ended. */
  readonly onSessionEnd?: ((session: EndedSession) => void) | undefined
  /** Called with internal errors, never with mistakes of a peer. */
  readonly onInternalError?: ((error: unknown, request?: FailedRequest) => void) | undefined
}

/** The request that something went wrong in, as far as it is known. */
export interface FailedRequest {
  readonly method: string
  readonly params?: JsonObject
}

/** A session that is over. */
export interface EndedSession {
  readonly version: Revision
  /** How long it lasted here, in milliseconds. */
  readonly lasted: number
  readonly transport: 'http' | 'stdio'
}

export function modernRevisions(served: Served): readonly Revision[] {
  return served.revisions ? served.revisions.filter((r) => MODERN_REVISIONS.includes(r)) : MODERN_REVISIONS
}

/**
 * Returns the asked legacy revision if it is served, else the newest legacy revision that is served; undefined when no
 * legacy revision is served.
 */
export function negotiateLegacy(served: Served, requested: string): Revision | undefined {
  const offered = served.revisions?.filter((r) => LEGACY_REVISIONS.includes(r)) ?? LEGACY_REVISIONS
  if (offered.length === 0) return undefined
  const exact = offered.find((r) => r === requested)
  if (exact) return exact
  return offered.includes(LATEST_LEGACY) ? LATEST_LEGACY : offered[offered.length - 1]
}

/** Runs the handler. What it throws becomes a failure, so that nothing gets past the edge. */
export function respondSafely(served: Served, exchange: PlainExchange): Outcome | Promise<Outcome> {
  try {
    const tooLong = tooLongIn(exchange.params)
    if (tooLong) throw new ProtocolError(INVALID_PARAMS, `Invalid params: ${tooLong}`)
    const outcome = served.respond(exchange)
    if (!(outcome instanceof Promise)) return checked(served, outcome, exchange)
    return outcome.then(
      (settled) => checked(served, settled, exchange),
      (thrown) => toFailure(served, thrown, exchange),
    )
  } catch (thrown) {
    return toFailure(served, thrown, exchange)
  }
}

/** A middleware may forget to return the outcome. Its client still gets an answer. */
function checked(served: Served, outcome: Outcome | undefined, exchange: Exchange): Outcome {
  return outcome ?? toFailure(served, new TypeError('A handler or middleware returned no outcome'), exchange)
}

function toFailure(served: Served, thrown: unknown, exchange: Exchange): Outcome {
  if (!(thrown instanceof ProtocolError)) served.onInternalError?.(thrown, exchange)
  return failure(ProtocolError.from(thrown), thrown)
}

/** Thrown by a handler that needs more scopes. HTTP answers 403 with a challenge that names them. */
export class InsufficientScope extends ProtocolError {
  readonly requiredScopes: readonly string[]

  /** All scopes that the operation needs, including scopes that the caller has. */
  constructor(requiredScopes: readonly string[], message: string = 'Insufficient scope') {
    super(INVALID_REQUEST, message)
    this.requiredScopes = requiredScopes
  }
}

export interface LoadRefusal {
  readonly reason: string
  readonly retryAfter?: number
  /** 429: a limit is reached, of the caller or of all. 503: no caller is served at the moment. */
  readonly status?: 429 | 503
  readonly data?: JsonObject
  /** For reporters; never sent. */
  readonly cause?: unknown
}

const ONE_SECOND = 1
/** V8's setting; other engines ignore it. */
const StackTraces: { stackTraceLimit?: number | undefined } = Error

/** A request refused only for load: nothing was done. HTTP answers with its status and `Retry-After`. */
export class RefusedForLoad extends ProtocolError {
  readonly status: 429 | 503
  readonly retryAfter: number

  constructor(message: string, refusal: LoadRefusal) {
    const { reason, retryAfter = ONE_SECOND, status = 429, data, cause } = refusal
    // Refusals under load are frequent, and a stack trace would cost more than the rest of a refusal.
    const depth = StackTraces.stackTraceLimit
    StackTraces.stackTraceLimit = 0
    super(
      INTERNAL_ERROR,
      message,
      { ...data, reason, retryAfter },
      cause === undefined ? undefined : { cause },
    )
    StackTraces.stackTraceLimit = depth
    this.status = status
    this.retryAfter = retryAfter
  }
}

/** Errors that mean more to HTTP than their body says: they have a status and headers of their own. */
export type RequestRefusal = InsufficientScope | RefusedForLoad

/** Why a request was refused before anything was done; undefined for results and all other errors. */
export function refusalOf(outcome: Outcome): RequestRefusal | undefined {
  const cause = outcome.type === 'error' ? outcome.cause : undefined
  if (!(cause instanceof ProtocolError)) return undefined
  const { requiredScopes, retryAfter } = cause as Partial<InsufficientScope & RefusedForLoad>
  return requiredScopes !== undefined || retryAfter !== undefined ? (cause as RequestRefusal) : undefined
}

/** The error that answers calls which are still under way when the server stops. */
export function cutOff(): ProtocolError {
  return new ProtocolError(
    INTERNAL_ERROR,
    'The server is shutting down and did not finish this call. It may have taken effect; check before you repeat it.',
  )
}

// Frames are written around serialised payloads, so that cached text is not serialised again.

export function idText(id: RequestId | null): string {
  return typeof id === 'number' ? String(id) : JSON.stringify(id)
}

export function writeResult(id: RequestId, resultJson: string): string {
  return `{"jsonrpc":"2.0","id":${idText(id)},"result":${resultJson}}`
}

export function writeError(id: RequestId | null, error: JsonRpcError): string {
  return `{"jsonrpc":"2.0","id":${idText(id)},"error":${writeJson(error)}}`
}

export function writeNotification(notification: Notification): string {
  return notification.params === undefined
    ? `{"jsonrpc":"2.0","method":${JSON.stringify(notification.method)}}`
    : `{"jsonrpc":"2.0","method":${JSON.stringify(notification.method)},"params":${writeJson(notification.params)}}`
}

export function writeRequest(id: RequestId, method: string, params: JsonObject | undefined): string {
  const tail = params === undefined ? '' : `,"params":${writeJson(params)}`
  return `{"jsonrpc":"2.0","id":${idText(id)},"method":${JSON.stringify(method)}${tail}}`
}

export interface ResponseFacts {
  id: RequestId
  method: string
  revision: Revision
  serverInfo: Implementation
  /** Told when an outcome cannot be written. */
  onInternalError?: Served['onInternalError']
}

/** The facts for writing a response to a client with this revision. */
export function responseFacts(
  { id, method }: JsonRpcRequest,
  revision: Revision,
  { info, onInternalError }: Served,
): ResponseFacts {
  return { id, method, revision, serverInfo: info, onInternalError }
}

/** Closes the files and streams of an outcome that is no longer wanted. */
export function dropOutcome(outcome: Outcome): undefined {
  if (outcome.type === 'complete') discardLate(outcome.result)
}

/**
 * Serialises an outcome for a revision. What JSON cannot hold becomes an internal error, never silence. A result with
 * parts that are read while they are sent is no text yet.
 */
export function writeOutcome(outcome: Outcome, facts: ResponseFacts): string | LateJson {
  const failed = (thrown: unknown): string => {
    facts.onInternalError?.(thrown, { method: facts.method })
    return writeError(facts.id, { code: INTERNAL_ERROR, message: 'Internal error' })
  }
  try {
    return serialise(outcome, facts)
  } catch (thrown) {
    if (!(thrown instanceof NotReadYet) || outcome.type !== 'complete') return failed(thrown)
    try {
      const head = `{"jsonrpc":"2.0","id":${idText(facts.id)},"result":`
      return new LateJson([head, ...toPieces(shapeComplete(outcome.result, facts)), '}'], failed)
    } catch (misplaced) {
      return failed(misplaced)
    }
  }
}

function serialise(outcome: Outcome, facts: ResponseFacts): string {
  switch (outcome.type) {
    case 'complete':
      return writeResult(facts.id, completeText(outcome, facts))
    case 'error':
      return writeError(facts.id, shapeError(facts.method, outcome.error, facts.revision))
    case 'input_required': {
      const { inputRequests, requestState, extra } = outcome
      const result: JsonObject = { ...extra, resultType: 'input_required' }
      if (inputRequests) result.inputRequests = inputRequests
      if (requestState !== undefined) result.requestState = requestState
      result._meta = withServerInfo(result._meta, facts.serverInfo)
      return writeResult(facts.id, writeJson(result))
    }
    case 'task':
      return writeResult(facts.id, writeJson(createdTask(outcome.task, facts)))
    default:
      throw new TypeError('A handler or middleware returned no outcome')
  }
}

/** Flat since 2026-07-28 (SEP-2663), inside `task` before. */
function createdTask(task: JsonObject, { revision, serverInfo }: ResponseFacts): JsonObject {
  if (revision < '2026-07-28') return { task: shapeTask(task) }
  return { ...task, resultType: 'task', _meta: withServerInfo(task._meta, serverInfo) }
}

function completeText(outcome: Complete, facts: ResponseFacts): string {
  return readyText(outcome, facts) ?? writeJson(shapeComplete(outcome.result, facts))
}

export function readyText(outcome: Complete, facts: ResponseFacts): string | undefined {
  return isReceived(outcome) ? outcome.textFor(facts) : outcome.json
}

/** Recognised by its members: only relays load the class. */
export function isReceived(outcome: Outcome): outcome is ReceivedResult {
  return (outcome as Partial<ReceivedResult>).textFor !== undefined
}

/** A response whose result is passed on as the bytes that it came in; undefined for all others. */
export function writeRawOutcome(outcome: Outcome, facts: ResponseFacts): Uint8Array[] | undefined {
  const pieces = isReceived(outcome) ? outcome.bytesFor(facts) : undefined
  if (!pieces) return undefined
  const encoder = new TextEncoder()
  const head = encoder.encode(`{"jsonrpc":"2.0","id":${idText(facts.id)},"result":`)
  return [head, ...pieces, encoder.encode('}')]
}

export function shapeComplete(result: JsonObject, facts: ResponseFacts): JsonObject {
  const shaped = shapeResult(facts.method, result, facts.revision, facts.serverInfo)
  if (facts.method !== 'subscriptions/listen') return shaped
  return {
    ...shaped,
    _meta: { ...(shaped._meta as JsonObject | undefined), [META.subscriptionId]: facts.id },
  }
}
