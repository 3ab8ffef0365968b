import type {
  JsonRpcMessage,
  JsonRpcNotification,
  JsonRpcRequest,
  JsonRpcResponse,
  NumberMode,
  RequestId,
} from '../jsonrpc/index.ts'
import { type Duration, parseDuration } from '../protocol/index.ts'
import type { Cancellation } from './exchange.ts'

export type IncomingMessage = JsonRpcNotification | JsonRpcRequest

export interface WireRequestOptions {
  signal?: AbortSignal | undefined
  /** The same as `signal`; wires that take it get nothing else. */
  cancellation?: Cancellation | undefined
  /** Messages that arrive on this request's own stream (HTTP). Wires without such streams never call it. */
  onMessage?: ((message: IncomingMessage) => void) | undefined
  /** The server ended the stream of this request and will answer on another stream (HTTP, SEP-1699). */
  onDetached?: ((retryMs: number | undefined) => void) | undefined
  /** Extra HTTP headers for this request (`Mcp-Param-*`, for instance). Wires without headers ignore them. */
  headers?: Record<string, string> | undefined
  /** A long result may come as a `ResultBody` in bytes, whose strings have not been read. */
  takesBytes?: boolean | undefined
  /** The exchange that it is sent for. Only a tap reads it. */
  origin?: object | undefined
}

/** The members of a message that a tap may use. */
export interface SeenJson {
  readonly id?: unknown
  readonly method?: string
  readonly error?: { readonly message: string }
}

/** Looks at the messages of a wire. */
export interface WireTap {
  /**
   * Asked for every request. While it is false, the wire reports neither its own requests nor their answers, nor the
   * messages of their streams.
   */
  readonly active: boolean
  /** `origin` is the exchange that the message is for, where the wire knows it. */
  seen(direction: 'in' | 'out', message: SeenJson, origin?: object): void
}

/** Sends a request while a tap looks. The tap sees the request, its answer, and the messages of its own stream. */
export async function tapRequest(
  tap: WireTap,
  message: JsonRpcRequest,
  options: WireRequestOptions,
  send: (message: JsonRpcRequest, options: WireRequestOptions) => Promise<JsonRpcResponse>,
): Promise<JsonRpcResponse> {
  const { origin, onMessage } = options
  tap.seen('out', message, origin)
  const shown = onMessage && {
    onMessage: (incoming: IncomingMessage) => {
      tap.seen('in', incoming, origin)
      onMessage(incoming)
    },
  }
  const response = await send(message, { ...options, ...shown, takesBytes: false })
  tap.seen('in', response, origin)
  return response
}

/** How a client edge reaches one server: frames, correlates and reports, and knows little of eras. */
export interface Wire {
  /** The kind of wire, for messages: `stdio`, `http`, `sse`, `memory`. */
  readonly kind: string
  /** Says that `cancellation` is enough for it, so that no signal has to be made. */
  readonly takesCancellation?: boolean | undefined
  /** Sends a request and resolves with its response, or rejects with an McpError. Aborting stops waiting. */
  request(message: JsonRpcRequest, options?: WireRequestOptions): Promise<JsonRpcResponse>
  /** Sends a notification, or a response to a request of the server. */
  send(message: JsonRpcMessage): Promise<void>
  /** Set by the code that opened the wire, to see its messages. `memory()` has `onTraffic` instead. */
  tap?: WireTap | undefined
  /** Messages that belong to no request's own stream. Set once by the client edge. */
  onMessage: ((message: IncomingMessage) => void) | undefined
  /** The server answered a request that was given up. Set by the client edge; wires that cannot tell never call it. */
  onLateAnswer?: ((id: RequestId) => void) | undefined
  /** Messages of no request may be lost: their stream had broken off, and is open again. Set by the client edge. */
  onMissed?: (() => void) | undefined
  /** Called once when the wire is gone, with the reason when it was not asked for. */
  onClose: ((reason: Error | undefined) => void) | undefined
  /** Tells the wire the negotiated revision: HTTP sends it as a header from then on. */
  setProtocolVersion?(version: string): void
  /** Legacy HTTP: opens the standalone GET stream, if the server has one. Called after `initialized`. */
  startListening?(): void
  close(): Promise<void>
}

/** How soon and how often a connection or a stream that was lost is opened again. */
export interface ReconnectOptions {
  /** Before the first attempt; doubles with each one after it. A server's `retry:` goes first. Default 500 ms. */
  initialDelay?: Duration | undefined
  /** Back-off grows no further than this. Default 30 s. */
  maxDelay?: Duration | undefined
  /** How many attempts may fail one after another. 0 never reconnects. Default 8; a client with listeners goes on. */
  maxAttempts?: number | undefined
}

export interface ReconnectDelays {
  readonly initialDelay: number
  readonly maxDelay: number
  readonly maxAttempts: number
}

export function reconnectDelays(options: ReconnectOptions = {}, attempts: number = 8): ReconnectDelays {
  const { initialDelay = 500, maxDelay = '30s', maxAttempts = attempts } = options
  return { initialDelay: parseDuration(initialDelay), maxDelay: parseDuration(maxDelay), maxAttempts }
}

export interface OpenOptions {
  signal?: AbortSignal | undefined
  /** What becomes of numbers in messages that a double does not hold. Default `rounded`. */
  numbers?: NumberMode | undefined
  /** For streams that break off while the wire lives. */
  reconnect?: ReconnectOptions | undefined
}

/** Makes wires to one server: spawns its process, or talks to its URL. */
export interface Connector {
  readonly kind: 'stdio' | 'http' | 'sse' | 'socket' | 'memory'
  /** Names the server in errors and in the cache of era findings: the command line, or the URL. */
  readonly key: string
  /** Opens a fresh wire. Rejects with an McpError when that cannot be done. */
  open(options?: OpenOptions): Promise<Wire>
  /** The connector to try when the server refuses modern requests and `initialize`: HTTP+SSE at the same URL. */
  readonly fallback?: Connector | undefined
}
