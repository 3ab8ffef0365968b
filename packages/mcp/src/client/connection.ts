import type { ClientEdge } from '../exchange/index.ts'
import { abortError } from '../exchange/plain-exchange.ts'
import { orAbort } from '../exchange/client/client-edge.ts'
import { McpError } from '../jsonrpc/index.ts'
import { LONGEST_TIMER } from '../protocol/index.ts'
import type { Negotiated } from './negotiation/negotiate.ts'

export interface ConnectionOptions {
  open(signal: AbortSignal): Promise<Negotiated>
  /** How long that may take, in ms; 0 is no limit. */
  timeout(): number
  /** Whether a request may open the connection when `connect` was not called. */
  autoConnect: boolean
  /** Whether a request may open a connection that was lost. */
  reconnect: boolean
  onOpen(negotiated: Negotiated): void
  /** `isExpected`: it was closed on purpose. */
  onLost(reason: Error | undefined, isExpected: boolean): void
}

/** Keeps at most one connection. Callers that ask for it at the same time wait for the same attempt. */
export class Connection {
  readonly #options: ConnectionOptions
  #current: Negotiated | undefined
  #opening: { done: Promise<Negotiated>; abort: AbortController } | undefined
  /** Why there is no connection: never asked for, lost, or closed on purpose. */
  #absence: { why: 'new' | 'closed' } | { why: 'lost'; reason: Error | undefined } = { why: 'new' }

  constructor(options: ConnectionOptions) {
    this.#options = options
  }

  get current(): Negotiated | undefined {
    return this.#current
  }

  /** Whether there is a connection, or a connection is being made. */
  get busy(): boolean {
    return this.#current !== undefined || this.#opening !== undefined
  }

  async acquire(signal?: AbortSignal): Promise<Negotiated> {
    if (this.#current) return this.#current
    if (!this.#opening) this.#assertMayOpen()
    return this.open(signal)
  }

  async open(signal?: AbortSignal): Promise<Negotiated> {
    if (this.#current) return this.#current
    this.#opening ??= this.#start()
    return orAbort(this.#opening.done, signal)
  }

  /** Replaces a connection that has turned out to be of no use; others may have done it already. */
  async renew(stale: ClientEdge, reason: Error, signal?: AbortSignal): Promise<Negotiated> {
    if (this.#current?.edge === stale) {
      this.#current = undefined
      stale.onClose = undefined
      await stale.close().catch(() => {})
      this.#options.onLost(reason, false)
    }
    return this.open(signal)
  }

  async close(): Promise<void> {
    const opening = this.#opening
    const current = this.#current
    this.#absence = { why: 'closed' }
    this.#current = undefined
    opening?.abort.abort(new McpError('closed', 'The client was closed'))
    await opening?.done.catch(() => {})
    if (!current) return
    await current.edge.close()
  }

  #assertMayOpen(): void {
    const { why } = this.#absence
    if (why === 'new' && !this.#options.autoConnect) {
      throw new McpError('not_connected', 'Not connected: call connect() first, or allow autoConnect')
    }
    if (why === 'closed') throw new McpError('closed', 'The client was closed; connect() opens it again')
    if (this.#absence.why !== 'lost' || this.#options.reconnect) return
    const { reason } = this.#absence
    const because = reason ? `: ${reason.message}` : ''
    throw new McpError('closed', `The connection was lost${because}`, { cause: reason })
  }

  #start(): { done: Promise<Negotiated>; abort: AbortController } {
    const abort = new AbortController()
    const done = this.#connect(abort).finally(() => {
      this.#opening = undefined
    })
    done.catch(() => {})
    return { done, abort }
  }

  async #connect(abort: AbortController): Promise<Negotiated> {
    const timeout = this.#options.timeout()
    const timer = setTimeout(() => {
      const message = `The server did not complete the connection within ${timeout} ms`
      abort.abort(new McpError('timeout', message, { details: { timeout } }))
    }, timeout || LONGEST_TIMER)
    try {
      const negotiated = await this.#options.open(abort.signal)
      if (abort.signal.aborted) {
        await negotiated.edge.close().catch(() => {})
        throw abortError(abort.signal)
      }
      this.#current = negotiated
      negotiated.edge.onClose = (reason) => this.#lost(negotiated, reason)
      this.#options.onOpen(negotiated)
      return negotiated
    } finally {
      clearTimeout(timer)
    }
  }

  #lost(negotiated: Negotiated, reason: Error | undefined): void {
    const isExpected = this.#current !== negotiated
    if (!isExpected) {
      this.#current = undefined
      this.#absence = { why: 'lost', reason }
    }
    this.#options.onLost(reason, isExpected)
  }
}
