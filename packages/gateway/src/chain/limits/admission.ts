import { callerKey, cancellationOf, RefusedForLoad, type Exchange } from '@gantry/mcp/exchange'
import { FairQueue } from '../../targets/fair-queue.ts'

/** Limits requests under way. Callers below their fair part wait in turn; callers above it are refused. */
export class Admission {
  #limit: number
  readonly #queue = new FairQueue()
  /** Requests under way, and how many of them are whose. */
  #inFlight = 0
  readonly #byCaller = new Map<string, number>()

  constructor(limit: number) {
    this.#limit = limit
  }

  get inFlight(): number {
    return this.#inFlight
  }

  /** Requests that wait for a place. */
  get waiting(): number {
    return this.#queue.size
  }

  /** Throws `RefusedForLoad`. A promise when it has to wait. The caller has to be given to `leave` afterwards. */
  enter(exchange: Exchange): string | Promise<string> {
    const caller = callerKey(exchange)
    if (this.#inFlight < this.#limit) {
      this.#count(caller)
      return caller
    }
    const held = this.#byCaller.get(caller) ?? 0
    const callers = this.#byCaller.size + (held === 0 ? 1 : 0)
    const fair = Math.max(1, Math.floor(this.#limit / callers))
    if (held + this.#queue.sizeOf(caller) >= fair || this.#queue.size >= this.#limit) throw this.#refusal()
    return this.#queue.wait(caller, cancellationOf(exchange)).then(() => caller)
  }

  leave(caller: string): void {
    this.#inFlight--
    const left = (this.#byCaller.get(caller) ?? 0) - 1
    if (left > 0) this.#byCaller.set(caller, left)
    else this.#byCaller.delete(caller)
    this.#admit()
  }

  resize(limit: number): void {
    this.#limit = limit
    this.#admit()
  }

  #admit(): void {
    while (this.#inFlight < this.#limit) {
      const caller = this.#queue.next()
      if (caller === undefined) return
      this.#count(caller)
    }
  }

  #count(caller: string): void {
    this.#inFlight++
    this.#byCaller.set(caller, (this.#byCaller.get(caller) ?? 0) + 1)
  }

  #refusal(): RefusedForLoad {
    const message = `The gateway works on ${this.#inFlight} requests already; try again in a moment`
    return new RefusedForLoad(message, { reason: 'busy' })
  }
}
