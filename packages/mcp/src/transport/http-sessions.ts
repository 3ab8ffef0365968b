import type { ProtocolError } from '../jsonrpc/index.ts'
import { samePrincipal, unref, type Principal } from '../protocol/index.ts'
import type { HttpSession } from './http-session.ts'

export interface SessionLimits {
  /** A session that nobody used for this long is ended. */
  idleTimeout: number
  maxSessions: number
}

export const DEFAULT_SESSION_LIMITS: SessionLimits = { idleTimeout: 30 * 60_000, maxSessions: 10_000 }

/** All legacy sessions of an endpoint, with an end for those that clients forget. */
export class HttpSessions {
  readonly #sessions = new Map<string, HttpSession>()
  readonly #limits: SessionLimits
  #timer: ReturnType<typeof setInterval> | undefined

  constructor(limits: SessionLimits) {
    this.#limits = limits
  }

  get max(): number {
    return this.#limits.maxSessions
  }

  get size(): number {
    return this.#sessions.size
  }

  /** A session belongs to whoever opened it: for anybody else it does not exist. */
  find(id: string, principal: Principal | undefined): HttpSession | undefined {
    const session = this.#sessions.get(id)
    return session && samePrincipal(session.principal, principal) ? session : undefined
  }

  values(): Iterable<HttpSession> {
    return this.#sessions.values()
  }

  /** False when there is no room, even after the longest unused session was ended. */
  add(session: HttpSession): boolean {
    if (this.#sessions.size >= this.#limits.maxSessions && !this.#evict()) return false
    this.#sessions.set(session.id, session)
    this.#startSweep()
    return true
  }

  end(session: HttpSession, error?: ProtocolError): void {
    this.#sessions.delete(session.id)
    session.close(error)
    if (this.#sessions.size === 0) this.#stopSweep()
  }

  /** Ends them all; calls under way are answered with the error. */
  close(error: ProtocolError): void {
    for (const session of [...this.#sessions.values()]) this.end(session, error)
  }

  #evict(): boolean {
    let oldest: HttpSession | undefined
    for (const session of this.#sessions.values()) {
      if (!session.busy && (!oldest || session.lastSeen < oldest.lastSeen)) oldest = session
    }
    if (!oldest) return false
    this.end(oldest)
    return true
  }

  #startSweep(): void {
    if (this.#timer !== undefined) return
    this.#timer = setInterval(() => this.#sweep(), Math.max(1000, this.#limits.idleTimeout / 10))
    unref(this.#timer)
  }

  #stopSweep(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #sweep(): void {
    const due = Date.now() - this.#limits.idleTimeout
    for (const session of [...this.#sessions.values()]) {
      if (!session.busy && session.lastSeen < due) this.end(session)
    }
  }
}
