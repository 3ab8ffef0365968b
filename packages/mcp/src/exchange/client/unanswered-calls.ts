import { type Owner, sameOwner } from './owner.ts'

interface GivenUp {
  readonly owner: Owner
  /** Whether the server may ask for input on its behalf. */
  readonly asks: boolean
}

/** Calls remembered one by one, and owners remembered after that. */
const MAX_CALLS = 256
const MAX_OWNERS = 64

/**
 * Calls that were given up before the server answered them. The server may still work on them and send messages that
 * name no call. Such a message must not be shown to another caller, so these calls stay candidates until the server
 * answers. A call that falls out of this memory leaves its owner behind; with too many owners, everybody is a
 * stranger. Nothing is forgotten while the connection lives: that would be a guess.
 */
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

  /** The server answered after all: it is done with the call. */
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
