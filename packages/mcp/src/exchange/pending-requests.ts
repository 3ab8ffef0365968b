import type { Cancellation } from './exchange.ts'
import { McpError, type JsonRpcResponse, type RequestId } from '../jsonrpc/index.ts'

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

  /** Whether the caller that waits for this id takes a `ResultBody` in bytes. */
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

  /** Every request gets its own error object, because code that catches an error may add to it. */
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

const MAX_IDS = 1000

/** Ids of requests that were given up, so that their late answers are recognised. Bounded in number. */
export class GivenUpIds {
  readonly #ids = new Set<RequestId>()

  add(id: RequestId): void {
    if (this.#ids.size >= MAX_IDS) {
      const [oldest] = this.#ids
      if (oldest !== undefined) this.#ids.delete(oldest)
    }
    this.#ids.add(id)
  }

  /** Whether the id was one of them; it is forgotten. */
  take(id: RequestId): boolean {
    return this.#ids.size > 0 && this.#ids.delete(id)
  }

  clear(): void {
    this.#ids.clear()
  }
}

/** How many slots there are at first, and at most. A call that finds no slot goes into a map. */
const FIRST_SLOTS = 8
const MAX_SLOTS = 1_024

/** Calls by id, mostly small ascending integers. A `Map` would keep ended calls alive (docs/adr/0010). */
export class CallTable<Id, Value> {
  #ids: (Id | undefined)[] = []
  #values: (Value | undefined)[] = []
  #others: Map<Id, Value> | undefined
  #size = 0

  get size(): number {
    return this.#size
  }

  has(id: Id): boolean {
    return this.#ids[this.#slotOf(id)] === id || this.#others?.has(id) === true
  }

  get(id: Id): Value | undefined {
    const slot = this.#slotOf(id)
    return this.#ids[slot] === id ? this.#values[slot] : this.#others?.get(id)
  }

  set(id: Id, value: Value): void {
    this.delete(id)
    this.#size++
    if (this.#size * 4 > this.#ids.length && this.#ids.length < MAX_SLOTS) this.#grow()
    this.#put(id, value)
  }

  delete(id: Id): boolean {
    const slot = this.#slotOf(id)
    if (this.#ids[slot] === id) {
      this.#ids[slot] = undefined
      this.#values[slot] = undefined
    } else if (this.#others?.delete(id) !== true) {
      return false
    }
    this.#size--
    return true
  }

  /** Ids and calls as they are now, in no particular order. */
  entries(): [Id, Value][] {
    const entries: [Id, Value][] = [...(this.#others ?? [])]
    for (const [slot, id] of this.#ids.entries()) {
      if (id !== undefined) entries.push([id, this.#values[slot] as Value])
    }
    return entries
  }

  values(): Value[] {
    return this.entries().map(([, value]) => value)
  }

  clear(): void {
    this.#ids = []
    this.#values = []
    this.#others = undefined
    this.#size = 0
  }

  /** Returns −1 for ids that have no slot. */
  #slotOf(id: Id): number {
    return typeof id === 'number' && this.#ids.length > 0 ? id & (this.#ids.length - 1) : -1
  }

  #put(id: Id, value: Value): void {
    const slot = this.#slotOf(id)
    if (slot >= 0 && this.#ids[slot] === undefined) {
      this.#ids[slot] = id
      this.#values[slot] = value
    } else {
      this.#others ??= new Map()
      this.#others.set(id, value)
    }
  }

  #grow(): void {
    const entries = this.entries()
    const slots = this.#ids.length === 0 ? FIRST_SLOTS : this.#ids.length * 2
    this.#ids = new Array(slots).fill(undefined)
    this.#values = new Array(slots).fill(undefined)
    this.#others = undefined
    for (const [id, value] of entries) this.#put(id, value)
  }
}
