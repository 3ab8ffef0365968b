import type { Continuations, Exchange, Outcome, ParkedCall } from '@gantry/mcp/exchange'

/** Says that something is in use; the function that it returns ends that. */
export type Lease = () => () => void

/** The parked calls of one connection. They keep it in use: closing it would lose the calls. */
export class LeasedContinuations implements Continuations {
  readonly #shared: Continuations
  readonly #lease: Lease

  constructor(shared: Continuations, lease: Lease) {
    this.#shared = shared
    this.#lease = lease
  }

  park(call: ParkedCall): string | undefined {
    const release = this.#lease()
    const token = this.#shared.park(new LeasedCall(call, release))
    if (token === undefined) release()
    return token
  }

  find(token: string): ParkedCall | undefined {
    return this.#shared.find(token)
  }

  take(token: string): ParkedCall | undefined {
    return this.#shared.take(token)
  }
}

class LeasedCall implements ParkedCall {
  readonly #call: ParkedCall
  readonly #release: () => void

  constructor(call: ParkedCall, release: () => void) {
    this.#call = call
    this.#release = release
  }

  get caller(): string {
    return this.#call.caller
  }

  get awaitedTask(): unknown {
    return this.#call.awaitedTask
  }

  accepts(exchange: Exchange): boolean {
    return this.#call.accepts(exchange)
  }

  /** The lease ends with the round: a call that asks again has taken a new one by then. */
  resume(exchange: Exchange): Promise<Outcome> {
    return this.#call.resume(exchange).finally(this.#release)
  }

  expire(): void {
    this.#call.expire()
    this.#release()
  }
}
