import type { Bytes, Json, Milliseconds, Timestamp } from './common.ts'

export type WireStatus =
  | 'running'
  | 'ok'
  | 'tool-error'
  | 'error'
  | 'input-required'
  | 'task'
  | 'cancelled'
  /** A question of a target that was not passed on, or not answered. */
  | 'refused'

export interface WireRecord {
  /** Unique among all gateways that work together. */
  readonly id: number
  readonly at: Timestamp
  readonly method: string
  /** The tool, prompt or resource that it is about, as the client names it. */
  readonly name?: string
  readonly target?: string
  readonly client: {
    readonly name?: string
    readonly revision: string
    readonly session?: string
    readonly principal?: string
  }
  readonly status: WireStatus
  /** In all. */
  readonly duration?: Milliseconds
  /** How much of it the target took. */
  readonly targetDuration?: Milliseconds
  /** The length of the answer, where it is known. */
  readonly bytes?: Bytes
  readonly error?: string
  /** Messages that were kept. 0: no console showed the page *Wire* while it ran. */
  readonly messages: number
}

/** `GET /api/wire?limit=…&before=…&filter=…`, newest first. Filters: see `parseWireFilter`. */
export interface WireList {
  readonly records: readonly WireRecord[]
  /** Send it as `before` to get earlier exchanges; absent when there are none. */
  readonly next?: Timestamp
  /** Exchanges that are kept now, whatever the filter. */
  readonly kept: number
  /** Exchanges that are kept at most. */
  readonly capacity: number
}

export interface WireDetail extends WireRecord {
  readonly hops: readonly WireMessage[]
}

export interface WireMessage {
  readonly seq: number
  readonly at: Timestamp
  /** From the beginning of the exchange. */
  readonly offset: Milliseconds
  readonly hop: 'client' | 'target'
  /** As the gateway sees it: `in` came to it, `out` left it. */
  readonly direction: 'in' | 'out'
  readonly type: 'request' | 'response' | 'error' | 'notification'
  readonly method?: string
  /** The JSON-RPC message, or what stands for it where the hop has no such message; secrets are redacted. */
  readonly message: Json
  readonly bytes: Bytes
  /** Whether `message` was cut to the configured size; it is text then. */
  readonly truncated: boolean
  /** The translation at this message, in words: "`input_required` → `elicitation/create`". */
  readonly note?: string
}

export type WireExportLine = WireDetail

export interface CallStarted {
  /** The id of the call in the playground. */
  readonly id: string
}
