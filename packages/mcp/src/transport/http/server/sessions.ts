import type { Duration } from '../../../protocol/index.ts'
import type { Budget, BudgetLimit } from '../../../protocol/callers.ts'
import { RefusedForLoad } from '../../../exchange/server/answer.ts'
import type { ProtocolError } from '../../../jsonrpc/index.ts'
import { samePrincipal, type Principal } from '../../../protocol/index.ts'
import type { KeptSettings } from '../../../exchange/legacy/server/session-settings.ts'
import type { HttpSession } from './session.ts'

export interface SessionLimits {
  /** A session that was not used for this long is ended. */
  idleTimeout: Duration
  maxSessions: number
  /** Keeps what clients ask of their sessions, for the process that takes a session up. Needs a `sealer`. */
  settings?: KeptSettings
}

export const DEFAULT_SESSION_LIMITS: SessionLimits = { idleTimeout: '30m', maxSessions: 10_000 }

/** All legacy sessions of an endpoint. Ends sessions that their clients forget. */
export class HttpSessions {
  readonly #sessions = new Map<string, HttpSession>()
  readonly #idleTimeout: number
  readonly #budget: Budget
  #timer: ReturnType<typeof setInterval> | undefined

  constructor(idleTimeout: number, budget: Budget) {
    this.#idleTimeout = idleTimeout
    this.#budget = budget
  }

  /** A session belongs to the caller that opened it: for other callers it does not exist. */
  find(id: string | undefined, principal: Principal | undefined): HttpSession | undefined {
    const session = this.#sessions.get(id!)
    return session && samePrincipal(session.principal, principal) ? session : undefined
  }

  /** By id, whosever they are. */
  get all(): ReadonlyMap<string, HttpSession> {
    return this.#sessions
  }

  /** Why there is no room, even after the longest unused session was ended; undefined when it was added. */
  add(session: HttpSession): RefusedForLoad | undefined {
    let lacking = this.#budget.take(session.sender, 1)
    while (lacking && this.#evict(lacking === 'perCaller' ? session.sender : undefined)) {
      lacking = this.#budget.take(session.sender, 1)
    }
    if (lacking) return tooManySessions(lacking)
    this.#sessions.set(session.id, session)
    this.#startSweep()
    return undefined
  }

  end(session: HttpSession, error?: ProtocolError): void {
    if (this.#sessions.delete(session.id)) this.#budget.give(session.sender, 1)
    session.close(error)
    if (this.#sessions.size === 0) this.#stopSweep()
  }

  /** Ends them all; calls under way are answered with the error. */
  close(error: ProtocolError): void {
    for (const session of [...this.#sessions.values()]) this.end(session, error)
  }

  #evict(sender: string | undefined): boolean {
    let oldest: HttpSession | undefined
    for (const session of this.#sessions.values()) {
      if (sender !== undefined && session.sender !== sender) continue
      if (!session.busy && (!oldest || session.lastSeen < oldest.lastSeen)) oldest = session
    }
    if (!oldest) return false
    this.end(oldest)
    return true
  }

  #startSweep(): void {
    if (this.#timer !== undefined) return
    this.#timer = setInterval(() => this.#sweep(), Math.max(1000, this.#idleTimeout / 10))
    this.#timer.unref?.()
  }

  #stopSweep(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #sweep(): void {
    const due = Date.now() - this.#idleTimeout
    for (const session of [...this.#sessions.values()]) {
      if (!session.busy && session.lastSeen < due) this.end(session)
    }
  }
}

export function tooManySessions(lacking: BudgetLimit): RefusedForLoad {
  const whose = lacking === 'perCaller' ? 'This client has too many sessions' : 'There are too many sessions'
  return new RefusedForLoad(`${whose}: end some`, { reason: 'sessions', retryAfter: 10 })
}
