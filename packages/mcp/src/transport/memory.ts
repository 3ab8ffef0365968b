import type {
  Connector,
  IncomingMessage,
  RequestContext,
  Served,
  Wire,
  WireRequestOptions,
} from '../exchange/index.ts'
import { PendingRequests } from '../exchange/pending-requests.ts'
import { callerOf } from '../exchange/plain-exchange.ts'
import { ServerConnection } from '../exchange/server/server-connection.ts'
import {
  McpError,
  parseMessage,
  type JsonRpcMessage,
  type JsonRpcRequest,
  type JsonRpcResponse,
  type ReadJson,
  jsonReader,
  toJsonText,
} from '../jsonrpc/index.ts'
import { requireKnownOptions } from '../protocol/index.ts'

export interface MemoryOptions {
  context?: RequestContext
  /** Sees every message in both directions, as text. */
  onTraffic?: (direction: 'to-server' | 'to-client', text: string) => void
}

/** Connects a client to a server in the same process. Messages are serialised, as on any other transport. */
export function memory(served: Served, options: MemoryOptions = {}): Connector {
  requireKnownOptions('server in memory', { context: 1, onTraffic: 1 }, options)
  return {
    kind: 'memory',
    key: `memory:${served.info.name}`,
    open: async (how) => new MemoryWire(served, options, jsonReader(how?.numbers)),
  }
}

class MemoryWire implements Wire {
  readonly kind = 'memory'
  readonly takesCancellation = true
  onMessage: ((message: IncomingMessage) => void) | undefined
  onLateAnswer: Wire['onLateAnswer']
  onClose: ((reason: Error | undefined) => void) | undefined
  readonly #connection: ServerConnection
  readonly #options: MemoryOptions
  readonly #read: ReadJson
  readonly #pending = new PendingRequests(() => ({}))
  #closed = false

  constructor(served: Served, options: MemoryOptions, read: ReadJson) {
    this.#read = read
    this.#options = options
    this.#connection = new ServerConnection(served, {
      // A turn later, like any other transport: an answer never arrives while the request is being sent.
      send: (text) => queueMicrotask(() => this.#receive(text)),
      ...(options.context && { context: options.context }),
    })
  }

  request(message: JsonRpcRequest, options: WireRequestOptions = {}): Promise<JsonRpcResponse> {
    if (this.#closed) return Promise.reject(new McpError('closed', 'The connection is closed'))
    return new Promise((resolve, reject) => {
      const caller = callerOf(options)
      this.#pending.check(message.id, caller)
      this.#transmit(message)
      this.#pending.add(message.id, resolve, reject, caller, false)
    })
  }

  async send(message: JsonRpcMessage): Promise<void> {
    if (this.#closed) throw new McpError('closed', 'The connection is closed')
    this.#transmit(message)
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#connection.close('disconnected')
    this.#pending.failAll(() => new McpError('closed', 'The connection was closed'))
    this.onClose?.(undefined)
  }

  #transmit(message: JsonRpcMessage): void {
    const text = toJsonText(message)
    this.#options.onTraffic?.('to-server', text)
    queueMicrotask(() => this.#connection.receiveText(text))
  }

  #receive(text: string): void {
    if (this.#closed) return
    this.#options.onTraffic?.('to-client', text)
    const parsed = parseMessage(text, this.#read)
    if (parsed.kind === 'response') return this.#answer(parsed.message)
    if (parsed.kind !== 'invalid') return this.onMessage?.(parsed.message)
    const { id, error } = parsed.reply
    if (id !== null) this.#pending.reject(id, new McpError('bad_response', error.message))
  }

  #answer(message: JsonRpcResponse): void {
    if (message.id === null) return
    if (this.#pending.resolve(message.id, message) === 'late') this.onLateAnswer?.(message.id)
  }
}
