import { CallTable } from '../../exchange/call-table.ts'
import type { Cancellation } from '../../exchange/index.ts'
import { McpError, type JsonRpcResponse, type RequestId } from '../../jsonrpc/index.ts'
import { GivenUpIds } from '../given-up-ids.ts'

interface Waiter {
  readonly resolve: (response: JsonRpcResponse) => void
  readonly reject: (error: Error) => void
  readonly cancellation: Cancellation | undefined
  readonly onAbort: (() => void) | undefined
  readonly takesBytes: boolean
}

/** Requests that wait for their responses. Ids match by type and value: `1` and `"1"` are two requests. */
export class PendingRequests {
  readonly #waiters = new CallTable<RequestId, Waiter>()
  readonly #givenUp = new GivenUpIds()
  readonly #facts: () => Record<string, unknown>

  constructor(facts: () => Record<string, unknown>) {
    this.#facts = facts
  }

  get size(): number {
    return this.#waiters.size
  }

  has(id: RequestId): boolean {
    return this.#waiters.has(id)
  }

  /** Whether whoever waits for this id can do with a `ResultBody` in bytes. */
  takesBytes(id: RequestId): boolean {
    return this.#waiters.get(id)?.takesBytes === true
  }

  /** Throws when a request must not be sent: given up already, or its id is in use. */
  check(id: RequestId, cancellation: Cancellation | undefined): void {
    if (cancellation?.aborted) throw this.#cancelled(cancellation)
    if (this.#waiters.has(id)) {
      throw new McpError('already_started', `A request with the id ${JSON.stringify(id)} is already pending`)
    }
  }

  add(
    id: RequestId,
    resolve: Waiter['resolve'],
    reject: Waiter['reject'],
    cancellation: Cancellation | undefined,
    takesBytes: boolean,
  ): void {
    this.#givenUp.take(id)
    const onAbort =
      cancellation &&
      ((): void => {
        this.#take(id)
        this.#givenUp.add(id)
        reject(this.#cancelled(cancellation))
      })
    this.#waiters.set(id, { resolve, reject, cancellation, onAbort, takesBytes })
    if (onAbort) cancellation.onAbort(onAbort)
  }

  resolve(id: RequestId, response: JsonRpcResponse): 'resolved' | 'late' | 'unknown' {
    const waiter = this.#take(id)
    if (waiter === undefined) return this.#givenUp.take(id) ? 'late' : 'unknown'
    waiter.resolve(response)
    return 'resolved'
  }

  reject(id: RequestId, error: McpError): boolean {
    const waiter = this.#take(id)
    waiter?.reject(error)
    return waiter !== undefined
  }

  /** Every request gets an error of its own: whoever catches one may add to it. */
  failAll(reason: () => McpError): void {
    for (const [id] of this.#waiters.entries()) this.reject(id, reason())
    this.#givenUp.clear()
  }

  #take(id: RequestId): Waiter | undefined {
    const waiter = this.#waiters.get(id)
    if (waiter === undefined) return undefined
    this.#waiters.delete(id)
    if (waiter.onAbort) waiter.cancellation?.offAbort(waiter.onAbort)
    return waiter
  }

  #cancelled({ reason }: Cancellation): McpError {
    if (reason instanceof McpError) return reason
    return new McpError('cancelled', 'The request was cancelled', { cause: reason, details: this.#facts() })
  }
}
