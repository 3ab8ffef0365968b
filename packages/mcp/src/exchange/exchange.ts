import {
  METHOD_NOT_FOUND,
  ProtocolError,
  type JsonObject,
  type JsonRpcError,
  type RequestId,
} from '../jsonrpc/index.ts'
import type {
  ClientCapabilities,
  Implementation,
  LoggingLevel,
  Principal,
  Revision,
} from '../protocol/index.ts'

/** The client of a request: the same facts in both eras, from the session (legacy) or from the envelope (modern). */
export interface ClientFacts {
  readonly info?: Implementation | undefined
  readonly capabilities: ClientCapabilities
  readonly version: Revision
}

/** The caller as a guard has identified it. Sessions, tasks and `requestState` belong to `principal`. */
export interface AuthInfo {
  readonly principal: Principal
  readonly scopes: readonly string[]
  readonly clientId?: string
  /** The verified token's claims, or what introspection answered. */
  readonly claims: Readonly<JsonObject>
  /** The raw credential, for on-behalf-of calls. Never logged. */
  readonly token?: string
  readonly expiresAt?: number
}

/** One question to the client: `elicitation/create`, `sampling/createMessage` or `roots/list`. */
export interface InputRequest {
  method: string
  params?: JsonObject
}
export type InputRequests = { [key: string]: InputRequest }
export type InputResponses = { [key: string]: JsonObject }

/** How many rounds of questions one call may take. More are a loop: the server never accepts an answer. */
export const MAX_ROUNDS = 32

/** A notification without its JSON-RPC frame. */
export interface Notification {
  method: string
  params?: JsonObject
}

/** The end of a request without the cost of an `AbortSignal` (docs/adr/0010). */
export interface Cancellation {
  readonly aborted: boolean
  readonly reason: unknown
  readonly signal: AbortSignal
  /** The exchange that the request is sent for, where it is known. */
  readonly origin?: object | undefined
  /**
   * Calls the listener once, at the moment of the end, and never when the end is already past. The listener must not
   * throw.
   */
  onAbort(listener: () => void): void
  offAbort(listener: () => void): void
}

/**
 * One self-contained request with modern semantics, whatever the era of the peer it came from or goes to.
 *
 * `params` is the request's `params` as received, unknown members included; on a retry it holds
 * `inputResponses` and `requestState`. Envelope facts are lifted into `client` and `logLevel`.
 */
export interface Exchange {
  readonly method: string
  /** The id that the peer gave the request; absent for requests of this side. */
  readonly id?: RequestId | undefined
  readonly params: JsonObject
  readonly client: ClientFacts
  readonly auth?: AuthInfo | undefined
  /** Least severe log message the client wants from this request; nothing is sent when undefined. */
  readonly logLevel?: LoggingLevel | undefined
  /** Set by the embedding program, per request; reaches every handler. */
  readonly serverContext?: unknown
  /** HTTP request headers in lower case where there are any. */
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined
  /** The network address that the request came from, if there is one. */
  readonly peer?: string | undefined
  /** Names the legacy session or connection that the request came from; absent for modern requests. */
  readonly session?: string | undefined
  /** Names the pipe or socket that the request came on, in both eras; absent over HTTP, where no connection lasts. */
  readonly connection?: string | undefined
  /** Aborted when the caller cancels or goes away. */
  readonly signal: AbortSignal
  /**
   * The same without the cost of a signal. A copy of an exchange does not have it, because the copy may have another
   * `signal`: read it with `cancellationOf`.
   */
  readonly cancellation?: Cancellation | undefined
  /** Sends a request-scoped notification (progress, log) live, before the outcome. */
  notify(notification: Notification): void
  /**
   * Present when questions can be answered while the request runs: a legacy client's live requests, or a
   * client author's handlers. Absent: return `input_required` and wait for the retry.
   */
  ask?: ((requests: InputRequests, signal?: AbortSignal) => Promise<InputResponses>) | undefined
  /** Stops the time limit of silence while a person is being asked. Absent where there is no such limit. */
  whilePaused?: (<T>(work: () => Promise<T>) => Promise<T>) | undefined
  /**
   * Present on resumable streams (Streamable HTTP up to 2025-11-25): closes the response stream while the
   * work goes on; the client comes back for the rest after `retryMs`.
   */
  detach?: ((retryMs?: number) => void) | undefined
  /**
   * Present when arguments also came in HTTP headers. Throws when the headers that a tool asks for differ from its
   * arguments. It is called where the tool is found, because only the tool's definition names the headers.
   */
  readonly checkHeaders?: ((parameters: readonly MirroredParameter[]) => void) | undefined
  /**
   * The tool can be called as a task only. The edge to a server of 2025-11-25 makes that task, which may last `ttl`
   * milliseconds, and follows it to its end.
   */
  readonly asTask?: { readonly ttl: number } | undefined
  /** Told of each request that is sent for it. */
  readonly sending?: Sending | undefined
  /** The exchange that this one was derived from. */
  readonly origin?: Exchange | undefined
}

/** Follows the requests that are sent for an exchange. */
export interface Sending {
  /** Adds members to the `_meta` that a request gets. It is a copy, and goes to this peer alone. */
  addTo?(meta: JsonObject): void
  /** A request is about to be sent, with this id. */
  sent(id: RequestId): void
}

/** One argument that a tool wants mirrored into `Mcp-Param-<header>` (2026-07-28, `x-mcp-header`). */
export interface MirroredParameter {
  readonly path: readonly string[]
  readonly header: string
  readonly type: string
}

/** How an exchange ended. */
export type Outcome = Complete | InputRequired | TaskHandle | Failure

export interface Complete {
  readonly type: 'complete'
  /** The result as the newest revision has it, without `resultType`; edges shape it for their peer. */
  readonly result: JsonObject
  /** The result already shaped and serialised for the asking client's revision, when it was cached. */
  readonly json?: string
}

export interface InputRequired {
  readonly type: 'input_required'
  readonly inputRequests?: InputRequests
  readonly requestState?: string
  /** `_meta` and members that we do not know, kept for a relay. */
  readonly extra?: JsonObject
}

/** A task of the tasks extension (SEP-2663): the flat CreateTaskResult. */
export interface TaskHandle {
  readonly type: 'task'
  readonly task: JsonObject
}

export interface Failure {
  readonly type: 'error'
  readonly error: JsonRpcError
  /** The thrown error, for reporters; never sent. */
  readonly cause?: unknown
}

/** Everything between the edges is one of these: a server, a client edge, a relay, a middleware chain. */
export type Handle = (exchange: Exchange) => Outcome | Promise<Outcome>

/** Wraps a handle; `next` may be called with a changed exchange. */
export type Middleware<E extends Exchange = Exchange> = (
  exchange: E,
  next: (exchange?: E) => Promise<Outcome>,
) => Outcome | Promise<Outcome>

export function complete(result: JsonObject): Complete {
  return { type: 'complete', result }
}

/** The answer to a request whose method does not exist. */
export function methodNotFound(method: string): Failure {
  return failure(new ProtocolError(METHOD_NOT_FOUND, `Method not found: ${method}`))
}

export function failure(error: ProtocolError, cause?: unknown): Failure {
  return cause === undefined
    ? { type: 'error', error: error.toJsonRpc() }
    : { type: 'error', error: error.toJsonRpc(), cause }
}
