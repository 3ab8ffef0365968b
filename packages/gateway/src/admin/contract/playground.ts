import type { Era, JsonObject, Milliseconds, Revision, Timestamp } from './common.ts'

/** `POST /api/playground/calls`: sends a request as a client of the gateway would. */
export interface StartCall {
  /** Any MCP request; `resources/subscribe` and `subscriptions/listen` run until they are cancelled. */
  readonly method: string
  readonly params: JsonObject
  readonly client: PlaygroundClient
  /** One target under its own names, instead of everything. */
  readonly target?: string
  readonly logLevel?: LogLevel
  /** Time without a sign of life. */
  readonly timeout?: Milliseconds
}

export type LogLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency'

/** The client that the playground plays. */
export interface PlaygroundClient {
  readonly era: Era
  /** The newest of the era when absent. */
  readonly revision?: Revision
  /** Its declared capabilities. Questions of these kinds come as events; the gateway refuses others. */
  readonly capabilities: PlaygroundCapabilities
  readonly name?: string
}

export interface PlaygroundCapabilities {
  readonly elicitation?: { readonly form?: boolean; readonly url?: boolean }
  readonly sampling?: { readonly tools?: boolean; readonly context?: boolean }
  /** Answered with these, without a question. */
  readonly roots?: readonly { readonly uri: string; readonly name?: string }[]
  /** Modern clients only: long calls may come back as a task. */
  readonly tasks?: boolean
  /** Views of servers can be shown (SEP-1865). */
  readonly apps?: boolean
}

/** A call, as `GET /api/playground/calls` lists it; newest first, the last hundred are kept. */
export interface PlaygroundCall {
  readonly id: string
  readonly startedAt: Timestamp
  readonly method: string
  readonly params: JsonObject
  readonly client: PlaygroundClient
  readonly target?: string
  /** `task`: it runs, as a task. */
  readonly status: 'running' | 'waiting' | 'ok' | 'tool-error' | 'error' | 'cancelled' | 'task'
  readonly duration?: Milliseconds
  /** The exchanges that it caused, by their ids in the exchange log. */
  readonly records: readonly number[]
  readonly questions: readonly PlaygroundQuestion[]
}

export interface PlaygroundCallDetail extends PlaygroundCall {
  readonly events: readonly PlaygroundEvent[]
}

export interface PlaygroundQuestion {
  readonly id: string
  readonly kind: 'form' | 'url' | 'sampling'
  /** `elicitation/create` or `sampling/createMessage`. */
  readonly method: string
  readonly params: JsonObject
  /** The target that asks, where that is known. */
  readonly target?: string
  readonly askedAt: Timestamp
}

/** `POST /api/playground/calls/{id}/answers`: an ElicitResult, a CreateMessageResult, or a decline of either. */
export interface AnswerQuestion {
  readonly question: string
  readonly answer: JsonObject
}

/** `POST /api/playground/views`: the document of a `ui://` resource, and `_meta.ui.csp` of it. */
export interface OpenView {
  readonly html: string
  readonly csp?: JsonObject
}

/** Where the document can be shown for some minutes, in a frame of its own without an origin. */
export interface OpenedView {
  readonly path: string
}

/** `GET /api/playground/calls/{id}/events` as server-sent events whose id is `seq`; ends with the call. */
export type PlaygroundEvent = { readonly seq: number; readonly at: Timestamp } & (
  | {
      readonly type: 'connected'
      readonly era: Era
      readonly revision: string
      readonly serverInfo?: JsonObject
    }
  | {
      readonly type: 'progress'
      readonly progress: number
      readonly total?: number
      readonly message?: string
    }
  | { readonly type: 'log'; readonly level: LogLevel; readonly logger?: string; readonly data: unknown }
  | { readonly type: 'question'; readonly question: PlaygroundQuestion }
  | { readonly type: 'answered'; readonly question: string; readonly answer: JsonObject }
  /** It is not waited for any more. */
  | { readonly type: 'withdrawn'; readonly question: string }
  | { readonly type: 'notification'; readonly method: string; readonly params?: JsonObject }
  /** The call runs as a task, which is now in this state. */
  | { readonly type: 'task'; readonly task: JsonObject }
  | { readonly type: 'result'; readonly result: JsonObject; readonly duration: Milliseconds }
  | { readonly type: 'error'; readonly error: PlaygroundError; readonly duration: Milliseconds }
  | { readonly type: 'cancelled'; readonly duration: Milliseconds }
)

export interface PlaygroundError {
  /** A code of JSON-RPC, or a word for failures on this side (`timeout`, `missing_capability`). */
  readonly code: number | string
  readonly message: string
  readonly data?: unknown
  readonly fix?: string
}
