import {
  type JsonObject,
  type JsonRpcMessage,
  type JsonRpcRequest,
  type JsonRpcResponse,
  McpError,
  type RequestId,
} from '../../jsonrpc/index.ts'
import { checkMessage, revisionOf } from '../../testing/fixtures/check-message.test.support.ts'
import type { ClientFacts, Exchange, InputRequests, InputResponses, Notification } from '../exchange.ts'
import type { IncomingMessage, Wire, WireRequestOptions } from '../wire.ts'

/** What a scripted server can do while it answers one request. */
export interface Turn {
  readonly request: JsonRpcRequest
  readonly signal: AbortSignal
  /** Sends a notification on the request's stream, or on the shared channel where there are none. */
  notify(method: string, params?: JsonObject): void
  /** Sends a request to the client in the same place and resolves with the client's response. */
  push(method: string, params?: JsonObject): Promise<JsonRpcResponse>
}

/** Answers a request: a result, `{ error }`, or a promise that may never settle. */
export type Script = (turn: Turn) => unknown

/** A server at the level of raw messages, in memory. Everything crosses as JSON text. */
export class ScriptedPeer implements Wire {
  readonly kind: string
  /** All that the client wrote, in order. */
  readonly sent: JsonRpcMessage[] = []
  readonly headers: (Record<string, string> | undefined)[] = []
  onMessage: ((message: IncomingMessage) => void) | undefined
  onLateAnswer: Wire['onLateAnswer']
  onClose: ((reason: Error | undefined) => void) | undefined
  protocolVersion: string | undefined
  listening = false
  closed = false
  failSend: Error | undefined
  readonly #script: Script
  readonly #pushed = new Map<RequestId, (response: JsonRpcResponse) => void>()
  readonly #pending = new Set<(error: Error) => void>()
  #lastId = 0

  constructor(script: Script, kind = 'stdio') {
    this.#script = script
    this.kind = kind
  }

  request(message: JsonRpcRequest, options: WireRequestOptions = {}): Promise<JsonRpcResponse> {
    const request = clone(message)
    this.sent.push(request)
    checkMessage(revisionOf(request), request)
    this.headers.push(options.headers)
    const signal = options.signal ?? new AbortController().signal
    const receive = this.kind === 'http' ? options.onMessage : undefined
    return new Promise((resolve, reject) => {
      if (this.closed) return reject(new McpError('closed', 'closed'))
      this.#pending.add(reject)
      const stop = () => reject(new McpError('cancelled', 'aborted'))
      if (signal.aborted) stop()
      signal.addEventListener('abort', stop, { once: true })
      const turn: Turn = {
        request,
        signal,
        notify: (method, params) => this.notify(method, params, receive),
        push: (method, params) => this.push(method, params, receive),
      }
      Promise.resolve()
        .then(() => this.#script(turn))
        .then((answer) => {
          if (signal.aborted && this.kind !== 'http') this.onLateAnswer?.(request.id)
          const body = isFailure(answer) ? answer : { result: answer }
          resolve(clone({ jsonrpc: '2.0', id: request.id, ...body } as JsonRpcResponse))
        })
        .catch(reject)
    })
  }

  async send(message: JsonRpcMessage): Promise<void> {
    if (this.failSend) throw this.failSend
    const copy = clone(message)
    this.sent.push(copy)
    checkMessage(revisionOf(copy), copy)
    if ('id' in copy && !('method' in copy) && copy.id !== null) this.#pushed.get(copy.id)?.(copy)
  }

  setProtocolVersion(version: string): void {
    this.protocolVersion = version
  }

  startListening(): void {
    this.listening = true
  }

  async close(): Promise<void> {
    this.die()
  }

  /** Ends the connection, with a reason when it is unexpected. */
  die(reason?: Error): void {
    this.closed = true
    for (const reject of this.#pending) reject(reason ?? new McpError('closed', 'closed'))
    this.onClose?.(reason)
  }

  notify(method: string, params?: JsonObject, receive: Wire['onMessage'] = this.onMessage): void {
    receive?.(clone({ jsonrpc: '2.0', method, ...(params && { params }) }))
  }

  push(
    method: string,
    params?: JsonObject,
    receive: Wire['onMessage'] = this.onMessage,
  ): Promise<JsonRpcResponse> {
    const id = `s${++this.#lastId}`
    return new Promise((resolve) => {
      this.#pushed.set(id, resolve)
      receive?.(clone({ jsonrpc: '2.0', id, method, ...(params && { params }) }))
    })
  }

  /** The methods of all that the client wrote; responses count as `response`. */
  get methods(): string[] {
    return this.sent.map((message) => ('method' in message ? message.method : 'response'))
  }

  /** The client's messages of one method. */
  of(method: string): JsonRpcRequest[] {
    return this.sent.filter(
      (message): message is JsonRpcRequest => 'method' in message && message.method === method,
    )
  }
}

export interface TestExchange extends Exchange {
  readonly notifications: Notification[]
  readonly abort: AbortController
}

export function testExchange(
  method: string,
  params: JsonObject = {},
  extra: {
    ask?: (requests: InputRequests, signal?: AbortSignal) => Promise<InputResponses>
    client?: Partial<ClientFacts>
    logLevel?: Exchange['logLevel']
    auth?: Exchange['auth']
    session?: string
  } = {},
): TestExchange {
  const notifications: Notification[] = []
  const abort = new AbortController()
  return {
    method,
    // What a test does not care about must be there all the same: the messages are checked.
    params: method === 'tools/call' ? { name: 'x', ...params } : params,
    client: {
      info: { name: 'caller', version: '1.0.0' },
      capabilities: { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} },
      version: '2026-07-28',
      ...extra.client,
    },
    logLevel: extra.logLevel,
    auth: extra.auth,
    session: extra.session,
    ask: extra.ask,
    signal: abort.signal,
    abort,
    notifications,
    notify: (notification) => void notifications.push(notification),
  }
}

/** Waits until something is true, a tick at a time. */
export async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 5_000
  while (!condition()) {
    if (Date.now() > deadline) throw new Error('The condition did not come true')
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
}

function isFailure(answer: unknown): answer is { error: object } {
  return typeof answer === 'object' && answer !== null && 'error' in answer
}

function clone<T>(value: T): T {
  return JSON.parse(JSON.stringify(value))
}

/** One member of a message's `_meta`. */
export function metaOf(message: Notification | undefined, key: string): unknown {
  return (message?.params?._meta as JsonObject | undefined)?.[key]
}
