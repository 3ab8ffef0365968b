import type {
  JsonRpcMessage,
  JsonRpcNotification,
  JsonRpcRequest,
  JsonRpcResponse,
  NumberMode,
  RequestId,
} from '../jsonrpc/index.ts'
import type { Cancellation } from './exchange.ts'

export type IncomingMessage = JsonRpcNotification | JsonRpcRequest

export interface WireRequestOptions {
  signal?: AbortSignal | undefined
  /** The same as `signal`; wires that take it get nothing else. */
  cancellation?: Cancellation | undefined
  /** Messages that arrive on this request's own stream (HTTP). Wires without such streams never call it. */
  onMessage?: ((message: IncomingMessage) => void) | undefined
  /** The server let go of this request's stream and will answer on another one (HTTP, SEP-1699). */
  onDetached?: ((retryMs: number | undefined) => void) | undefined
  /** Extra HTTP headers for this request (`Mcp-Param-*`, for instance). Wires without headers ignore them. */
  headers?: Record<string, string> | undefined
  /** A long result may come as a `ResultBody` in bytes, whose strings nobody has read. */
  takesBytes?: boolean | undefined
  /** The exchange that it is sent for: nothing is done with it, whoever stands in between may look. */
  origin?: object | undefined
}

/** How a client edge reaches one server: frames, correlates and reports, and knows little of eras. */
export interface Wire {
  /** What this wire is, for messages: `stdio`, `http`, `sse`, `memory`. */
  readonly kind: string
  /** Says that `cancellation` is enough for it, so that no signal has to be made. */
  readonly takesCancellation?: boolean | undefined
  /** Sends a request and resolves with its response, or rejects with an McpError. Aborting stops waiting. */
  request(message: JsonRpcRequest, options?: WireRequestOptions): Promise<JsonRpcResponse>
  /** Sends a notification, or a response to a request of the server. */
  send(message: JsonRpcMessage): Promise<void>
  /** Messages that belong to no request's own stream. Set once by the client edge. */
  onMessage: ((message: IncomingMessage) => void) | undefined
  /** The server answered a request that was given up. Set by the client edge; wires that cannot tell never call it. */
  onLateAnswer?: ((id: RequestId) => void) | undefined
  /** Called once when the wire is gone, with the reason when it was not asked for. */
  onClose: ((reason: Error | undefined) => void) | undefined
  /** Tells the wire what was negotiated: HTTP sends it as a header from then on. */
  setProtocolVersion?(version: string): void
  /** Legacy HTTP: opens the standalone GET stream, if the server has one. Called after `initialized`. */
  startListening?(): void
  close(): Promise<void>
}

export interface OpenOptions {
  signal?: AbortSignal | undefined
  /** What becomes of numbers in messages that a double does not hold. Default `rounded`. */
  numbers?: NumberMode | undefined
}

/** Makes wires to one server: spawns its process, or talks to its URL. */
export interface Connector {
  readonly kind: 'stdio' | 'http' | 'sse' | 'socket' | 'memory'
  /** Names the server in errors and in the cache of era findings: the command line, or the URL. */
  readonly key: string
  /** Opens a fresh wire. Rejects with an McpError when that cannot be done. */
  open(options?: OpenOptions): Promise<Wire>
  /** What to try when neither a modern request nor `initialize` is accepted: HTTP+SSE at the same URL. */
  readonly fallback?: Connector | undefined
}
