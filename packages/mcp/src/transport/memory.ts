import type {
  Connector,
  IncomingMessage,
  RequestContext,
  Served,
  Wire,
  WireRequestOptions,
} from '../exchange/index.ts'
import { ServerConnection } from '../exchange/server/server-connection.ts'
import {
  McpError,
  parseMessage,
  type JsonRpcMessage,
  type JsonRpcRequest,
  type JsonRpcResponse,
  type ReadJson,
  type RequestId,
  jsonReader,
  toJsonText,
} from '../jsonrpc/index.ts'

export interface MemoryOptions {
  context?: RequestContext
  /** Sees every message in both directions, as text. */
  onTraffic?: (direction: 'to-server' | 'to-client', text: string) => void
}

/** Connects a client to a server in the same process. Messages are serialised, as on any other transport. */
export function memory(served: Served, options: MemoryOptions = {}): Connector {
  return {
    kind: 'memory',
    key: `memory:${served.info.name}`,
    open: async (how) => new MemoryWire(served, options, jsonReader(how?.numbers)),
  }
}

interface Pending {
  resolve(response: JsonRpcResponse): void
  reject(error: Error): void
}

class MemoryWire implements Wire {
  readonly kind = 'memory'
  onMessage: ((message: IncomingMessage) => void) | undefined
  onLateAnswer: Wire['onLateAnswer']
  onClose: ((reason: Error | undefined) => void) | undefined
  readonly #connection: ServerConnection
  readonly #options: MemoryOptions
  readonly #read: ReadJson
  readonly #pending = new Map<RequestId, Pending>()
  #closed = false

  constructor(served: Served, options: MemoryOptions, read: ReadJson) {
    this.#read = read
    this.#options = options
    this.#connection = new ServerConnection(served, {
      // A turn later, like any other transport: nobody gets an answer while still asking.
      send: (text) => queueMicrotask(() => this.#receive(text)),
      ...(options.context && { context: options.context }),
    })
  }

  request(message: JsonRpcRequest, options: WireRequestOptions = {}): Promise<JsonRpcResponse> {
    if (this.#closed) return Promise.reject(new McpError('closed', 'The connection is closed'))
    return new Promise((resolve, reject) => {
      const { signal } = options
      const forget = (): void => {
        this.#pending.delete(message.id)
        signal?.removeEventListener('abort', onAbort)
      }
      const onAbort = (): void => {
        forget()
        reject(new McpError('cancelled', `${message.method} was cancelled`))
      }
      if (signal?.aborted) return onAbort()
      this.#transmit(message)
      signal?.addEventListener('abort', onAbort, { once: true })
      this.#pending.set(message.id, {
        resolve(response) {
          forget()
          resolve(response)
        },
        reject(error) {
          forget()
          reject(error)
        },
      })
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
    for (const pending of [...this.#pending.values()]) {
      pending.reject(new McpError('closed', 'The connection was closed'))
    }
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
    if (id !== null) this.#pending.get(id)?.reject(new McpError('bad_response', error.message))
  }

  #answer(message: JsonRpcResponse): void {
    if (message.id === null) return
    const pending = this.#pending.get(message.id)
    if (pending) pending.resolve(message)
    else this.onLateAnswer?.(message.id)
  }
}
