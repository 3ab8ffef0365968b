import { INTERNAL_ERROR, ProtocolError } from '../../jsonrpc/index.ts'

export interface TaskLimits {
  maxRunning: number
  /** The same for one caller that can be told from others. */
  maxRunningPerPrincipal: number
}

/** Counts the handlers that run, so that tasks nobody waits for cannot pile up. */
export class TaskSlots {
  readonly #limits: TaskLimits
  readonly #byOwner = new Map<string, number>()
  #running = 0

  constructor(limits: TaskLimits) {
    this.#limits = limits
  }

  get running(): number {
    return this.#running
  }

  /** Takes a slot, and returns what gives it back; throws the error that refuses the call when there is none. */
  take(owner: string | undefined): () => void {
    const own = owner === undefined ? 0 : (this.#byOwner.get(owner) ?? 0)
    const { maxRunning, maxRunningPerPrincipal } = this.#limits
    if (this.#running >= maxRunning || own >= maxRunningPerPrincipal) {
      throw new ProtocolError(INTERNAL_ERROR, 'Too many tasks are running: try again later')
    }
    this.#running++
    if (owner !== undefined) this.#byOwner.set(owner, own + 1)
    let taken = true
    return () => {
      if (taken) this.#give(owner)
      taken = false
    }
  }

  #give(owner: string | undefined): void {
    this.#running--
    if (owner === undefined) return
    const left = (this.#byOwner.get(owner) ?? 1) - 1
    if (left > 0) this.#byOwner.set(owner, left)
    else this.#byOwner.delete(owner)
  }
}
