import {
  type NumberMode,
  ProtocolError,
  INVALID_REQUEST,
  INTERNAL_ERROR,
  type JsonObject,
} from '../../jsonrpc/index.ts'
import {
  LATEST_LEGACY,
  LEGACY_REVISIONS,
  MODERN_REVISIONS,
  type Implementation,
  type Revision,
} from '../../protocol/index.ts'
import type { Budget } from '../budget.ts'
import { type Exchange, type Handle, type Outcome, failure } from '../exchange.ts'
import type { PlainExchange } from '../plain-exchange.ts'

/** What a server edge needs of whatever stands behind it: a server, or a gateway's relay. */
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
  /** Called with what went wrong inside, never with what a peer did wrong. */
  readonly onInternalError?: ((error: unknown) => void) | undefined
}

export function modernRevisions(served: Served): readonly Revision[] {
  return served.revisions ? served.revisions.filter((r) => MODERN_REVISIONS.includes(r)) : MODERN_REVISIONS
}

/** Echoes a served legacy revision, else offers the newest one; undefined when none is served. */
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
    const outcome = served.respond(exchange)
    if (!(outcome instanceof Promise)) return checked(served, outcome)
    return outcome.then(
      (settled) => checked(served, settled),
      (thrown) => toFailure(served, thrown),
    )
  } catch (thrown) {
    return toFailure(served, thrown)
  }
}

/** A middleware that forgets to return what it got must not leave a client without an answer. */
function checked(served: Served, outcome: Outcome | undefined): Outcome {
  return outcome ?? toFailure(served, new TypeError('A handler or middleware returned no outcome'))
}

function toFailure(served: Served, thrown: unknown): Outcome {
  if (!(thrown instanceof ProtocolError)) served.onInternalError?.(thrown)
  return failure(ProtocolError.from(thrown), thrown)
}

/** Thrown by a handler that needs more scopes. HTTP answers 403 with a challenge that names them. */
export class InsufficientScope extends ProtocolError {
  readonly requiredScopes: readonly string[]

  /** All scopes that the operation needs, the ones that the caller has included. */
  constructor(requiredScopes: readonly string[], message: string = 'Insufficient scope') {
    super(INVALID_REQUEST, message)
    this.requiredScopes = requiredScopes
  }
}

export interface LoadRefusal {
  readonly reason: string
  readonly retryAfter?: number
  /** 429: a limit is reached, of the caller or of all. 503: nobody is served at all, now. */
  readonly status?: 429 | 503
  readonly data?: JsonObject
  /** For reporters; never sent. */
  readonly cause?: unknown
}

const ONE_SECOND = 1

/** A request refused only for load: nothing was done. HTTP answers with its status and `Retry-After`. */
export class RefusedForLoad extends ProtocolError {
  readonly status: 429 | 503
  readonly retryAfter: number

  constructor(message: string, refusal: LoadRefusal) {
    const { reason, retryAfter = ONE_SECOND, status = 429, data, cause } = refusal
    super(
      INTERNAL_ERROR,
      message,
      { ...data, reason, retryAfter },
      cause === undefined ? undefined : { cause },
    )
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

/** What a call is answered with that is still under way when its server stops: never silence. */
export function cutOff(): ProtocolError {
  return new ProtocolError(
    INTERNAL_ERROR,
    'The server is shutting down and did not finish this call. It may have taken effect; check before you repeat it.',
  )
}
