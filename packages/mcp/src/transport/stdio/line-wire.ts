import type { IncomingMessage, Wire, WireRequestOptions } from '../../exchange/index.ts'
import type { JsonRpcMessage, JsonRpcRequest, JsonRpcResponse, McpError } from '../../jsonrpc/index.ts'
import type { LineLink } from './client-link.ts'

/** What wires have in common that carry one message per line: a link, and a word to whoever waits for the end. */
export abstract class LineWire implements Wire {
  abstract readonly kind: string
  readonly takesCancellation = true
  protected abstract readonly link: LineLink
  #closing: Promise<void> | undefined
  #closed: { reason: McpError | undefined } | undefined
  #onClose: ((reason: Error | undefined) => void) | undefined

  get onMessage(): ((message: IncomingMessage) => void) | undefined {
    return this.link.onMessage
  }

  set onMessage(handler: ((message: IncomingMessage) => void) | undefined) {
    this.link.onMessage = handler
  }

  get onLateAnswer(): Wire['onLateAnswer'] {
    return this.link.onLateAnswer
  }

  set onLateAnswer(handler: Wire['onLateAnswer']) {
    this.link.onLateAnswer = handler
  }

  get onClose(): ((reason: Error | undefined) => void) | undefined {
    return this.#onClose
  }

  /** A handler that comes after the end is still told: a server may be gone before anyone could listen. */
  set onClose(handler: ((reason: Error | undefined) => void) | undefined) {
    this.#onClose = handler
    this.#tellClosed()
  }

  request(message: JsonRpcRequest, options?: WireRequestOptions): Promise<JsonRpcResponse> {
    return this.link.request(message, options)
  }

  send(message: JsonRpcMessage): Promise<void> {
    return this.link.send(message)
  }

  abstract close(): Promise<void>

  /** Whether the end has begun, by whoever's wish. */
  protected get isClosing(): boolean {
    return this.#closing !== undefined
  }

  /** Ends the wire in the way of the first who wants it ended; all others wait for that. */
  protected closeOnce(shutDown: () => Promise<void>): Promise<void> {
    this.#closing ??= shutDown()
    return this.#closing
  }

  /** The wire is gone; without a reason, because that was asked for. */
  protected tellGone(reason: McpError | undefined): void {
    this.#closed = { reason }
    this.#tellClosed()
  }

  /** Later, so that a handler that throws disturbs nothing here. */
  #tellClosed(): void {
    const handler = this.#onClose
    const closed = this.#closed
    if (handler !== undefined && closed !== undefined) queueMicrotask(() => handler(closed.reason))
  }
}
