import { type Owner, sameOwner } from './owner.ts'

interface GivenUp {
  readonly owner: Owner
  readonly asks: boolean
}

/** Calls remembered one by one, and owners remembered after that. */
const MAX_CALLS = 256
const MAX_OWNERS = 64

/** Abandoned calls stay candidates for nameless messages until answered, so that no other caller sees those. */
export class UnansweredCalls {
  readonly #calls = new Map<unknown, GivenUp>()
  readonly #owners: GivenUp[] = []
  #isFull = false

  get isEmpty(): boolean {
    return this.#calls.size === 0 && this.#owners.length === 0
  }

  add(id: unknown, call: GivenUp): void {
    this.#calls.set(id, call)
    if (this.#calls.size <= MAX_CALLS) return
    const [[oldest, forgotten]] = this.#calls as unknown as [[unknown, GivenUp]]
    this.#calls.delete(oldest)
    this.#keepOwner(forgotten)
  }

  answered(id: unknown): void {
    this.#calls.delete(id)
  }

  /** Whether a message that could be for this owner could be for the call of another one as well. */
  hasOther(owner: Owner, isQuestion: boolean): boolean {
    if (this.#isFull) return true
    const isOther = (call: GivenUp): boolean => (call.asks || !isQuestion) && !sameOwner(call.owner, owner)
    return this.#owners.some(isOther) || [...this.#calls.values()].some(isOther)
  }

  #keepOwner(call: GivenUp): void {
    if (this.#owners.some(({ owner, asks }) => asks === call.asks && sameOwner(owner, call.owner))) return
    if (this.#owners.length < MAX_OWNERS) this.#owners.push(call)
    else this.#isFull = true
  }
}
