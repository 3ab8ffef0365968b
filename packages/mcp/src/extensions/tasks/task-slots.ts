import { INTERNAL_ERROR, ProtocolError } from '../../jsonrpc/index.ts'

export interface TaskLimits {
  /** Tasks that run at the same time. */
  maxRunning: number
  /** The same for one authenticated caller. */
  maxRunningPerPrincipal: number
}

/** Counts the handlers that run, so that tasks nobody waits for cannot pile up. */
export class TaskSlots {
  readonly #limits: TaskLimits
  readonly #byPrincipal = new Map<string, number>()
  #running = 0

  constructor(limits: TaskLimits) {
    this.#limits = limits
  }

  get running(): number {
    return this.#running
  }

  /** Takes a slot, and returns what gives it back; throws the error that refuses the call when there is none. */
  take(principal: string | undefined): () => void {
    const own = principal === undefined ? 0 : (this.#byPrincipal.get(principal) ?? 0)
    const { maxRunning, maxRunningPerPrincipal } = this.#limits
    if (this.#running >= maxRunning || own >= maxRunningPerPrincipal) {
      throw new ProtocolError(INTERNAL_ERROR, 'Too many tasks are running: try again later')
    }
    this.#running++
    if (principal !== undefined) this.#byPrincipal.set(principal, own + 1)
    let taken = true
    return () => {
      if (taken) this.#give(principal)
      taken = false
    }
  }

  #give(principal: string | undefined): void {
    this.#running--
    if (principal === undefined) return
    const left = (this.#byPrincipal.get(principal) ?? 1) - 1
    if (left > 0) this.#byPrincipal.set(principal, left)
    else this.#byPrincipal.delete(principal)
  }
}
