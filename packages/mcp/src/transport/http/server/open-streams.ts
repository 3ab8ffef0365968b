import { OpenSet, type OpenMember } from '../../../protocol/callers.ts'
import type { ProtocolError } from '../../../jsonrpc/index.ts'
import { LONGEST_TIMER, samePrincipal } from '../../../protocol/index.ts'
import type { Guard, HttpContext } from './reply.ts'

/** The end of a stream whose credential does not expire, and of an answer that is no stream. */
export const NEVER: number = Number.POSITIVE_INFINITY

/** A credential that was accepted although its time was over (clocks differ) gets this long. */
const SHORTEST_LIFE = 5_000

export interface OpenStream extends OpenMember {
  readonly context: HttpContext
  until: number
  /** Since when its result is waited for; `NEVER` when it is not kept open. Set by `wait`. */
  waitsSince: number
  /** Sends a comment, so that proxies keep it open. */
  keepAlive(): void
  /** Ends it: its client has to come back with a credential that is good. */
  end(why: 'expired' | 'revoked'): void
  /** Answers the request with an error at once; absent where no result is waited for. */
  cut?: ((error: ProtocolError) => void) | undefined
  /** Ends what only listens, so that its client listens elsewhere; absent for all else. */
  leave?: (() => void) | undefined
}

/**
 * Answers under way. Silent streams are kept open. Streams end when the token of their caller expires or is refused.
 */
export class OpenStreams extends OpenSet<OpenStream> {
  readonly #keepAliveInterval: number
  #beat: ReturnType<typeof setInterval> | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #dueAt = NEVER

  /** Comments are sent at this interval, in milliseconds; 0 for never. One timer serves all. */
  constructor(keepAliveInterval: number = 0) {
    super()
    this.#keepAliveInterval = keepAliveInterval
  }

  /** How many results are waited for. */
  get waiting(): number {
    return this.all().filter(({ waitsSince }) => waitsSince < NEVER).length
  }

  /** How many of them a request under way is answered with. */
  get inFlight(): number {
    return this.all().filter(({ cut }) => cut).length
  }

  /** The result is not there yet: the connection must not be taken for dead. */
  wait(stream: OpenStream): void {
    this.add(stream)
    stream.waitsSince = Date.now()
    if (this.#beat !== undefined || this.#keepAliveInterval === 0) return
    this.#beat = setInterval(() => this.#keepAlive(), this.#keepAliveInterval)
    this.#beat.unref?.()
  }

  /** The answer has become a stream, which ends when its credential expires. */
  expire(stream: OpenStream): void {
    this.add(stream)
    const { auth } = stream.context
    if (auth?.expiresAt === undefined) return
    const now = Date.now()
    stream.until = auth.expiresAt > now ? auth.expiresAt : now + SHORTEST_LIFE
    if (stream.until < this.#dueAt) this.#wait(stream.until)
  }

  /** Ends every answer whose caller this guard does not let in as the same principal with the same scopes. */
  async recheck(guard: Guard | undefined): Promise<void> {
    const check = async (stream: OpenStream): Promise<void> => {
      // A guard that fails lets no caller in.
      const isGood = await isLetInBy(guard, stream.context).catch(() => false)
      if (!isGood && this.delete(stream)) stream.end('revoked')
    }
    await Promise.all(this.all().map(check))
  }

  /** Ends requests that only listen. Others go on. */
  drain(): void {
    for (const { leave } of this.all()) leave?.()
  }

  close(error: ProtocolError): void {
    for (const { cut } of this.all()) cut?.(error)
    this.#stop()
    this.#stopBeat()
  }

  #keepAlive(): void {
    const due = Date.now() - this.#keepAliveInterval
    let isAnyWaiting = false
    for (const stream of this.all()) {
      isAnyWaiting ||= stream.waitsSince < NEVER
      if (stream.waitsSince <= due) stream.keepAlive()
    }
    if (!isAnyWaiting) this.#stopBeat()
  }

  #stopBeat(): void {
    clearInterval(this.#beat)
    this.#beat = undefined
  }

  #stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#dueAt = NEVER
  }

  #wait(until: number): void {
    clearTimeout(this.#timer)
    this.#dueAt = until
    this.#timer = setTimeout(() => this.#endExpired(), Math.min(until - Date.now(), LONGEST_TIMER))
    this.#timer.unref?.()
  }

  #endExpired(): void {
    const now = Date.now()
    const due = this.all().filter(({ until }) => until <= now)
    for (const stream of due) if (this.delete(stream)) stream.end('expired')
    this.#stop()
    const next = this.all().reduce((least, { until }) => Math.min(least, until), NEVER)
    if (next < NEVER) this.#wait(next)
  }
}

/** Whether a guard lets a caller in as the same principal with the same scopes. */
export async function isLetInBy(guard: Guard | undefined, { head, auth }: HttpContext): Promise<boolean> {
  const verdict = guard ? await guard(head) : { ok: true as const, auth: undefined }
  if (!verdict.ok || !samePrincipal(verdict.auth?.principal, auth?.principal)) return false
  const [before, now] = [new Set(auth?.scopes), new Set(verdict.auth?.scopes)]
  return before.size === now.size && [...now].every((scope) => before.has(scope))
}
