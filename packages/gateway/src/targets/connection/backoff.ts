import { setTimeout as sleep } from 'node:timers/promises'
import { McpError } from '@gantry/mcp/client'
import type { RestartModel, TargetModel } from '../../model/index.ts'
import { TargetError } from '../target-error.ts'

/** Doubles with every failure up to the maximum; the jitter keeps a fleet from coming back all at once. */
export function backoffDelay(
  restart: RestartModel,
  failures: number,
  random: number = Math.random(),
): number {
  const exponential = restart.minDelay * 2 ** Math.max(0, failures - 1)
  const capped = Math.min(restart.maxDelay, exponential)
  return Math.round(capped * (0.5 + random / 2))
}

export interface NextTry {
  /** Milliseconds until the next automatic try. */
  readonly delay: number
  /** Callers are refused for so long; after that a call may try. */
  readonly refuseFor: number
  /** A call that may try waits for so long at least, so that many callers make few attempts. */
  readonly floor: number
  readonly quarantined: boolean
}

/** When a failed target is tried again: a crashing program rests, a URL is asked again within seconds. */
export function nextTry({ kind, restart }: TargetModel, failures: number, asked: number): NextTry {
  const wanted = Math.min(asked, restart.quarantineFor)
  if (kind === 'url' || kind === 'openapi') {
    const delay = backoffDelay(restart, failures)
    const floor = Math.min(restart.minDelay, delay)
    return { delay: Math.max(delay, wanted), refuseFor: wanted, floor, quarantined: false }
  }
  const quarantined = failures >= restart.quarantineAfter
  const delay = quarantined ? restart.quarantineFor : backoffDelay(restart, failures)
  const longer = Math.max(delay, wanted)
  return { delay: longer, refuseFor: longer, floor: 0, quarantined }
}

/** How long a server asks to be left alone (RFC 9110, section 10.2.3), in milliseconds; 0 when it does not. */
export function retryAfterOf(thrown: unknown, now: number = Date.now()): number {
  const asked = thrown instanceof McpError ? thrown.details.retryAfter : undefined
  if (typeof asked !== 'string') return 0
  const milliseconds = /^\s*\d+\s*$/.test(asked) ? Number(asked) * 1000 : Date.parse(asked) - now
  return Number.isFinite(milliseconds) ? Math.max(0, milliseconds) : 0
}

/** When a connection that failed is tried again: by itself, and by callers that want it. */
export class RetryClock {
  /** When the next automatic try is made; 0 when no try is planned. */
  retryAt = 0
  #refusedUntil = 0
  #notBefore = 0
  #timer: NodeJS.Timeout | undefined

  /** How much longer callers are refused, in milliseconds; 0 when a call may try. */
  get refusedFor(): number {
    return Math.max(0, this.#refusedUntil - Date.now())
  }

  wait({ delay, refuseFor, floor }: Pick<NextTry, 'delay' | 'refuseFor' | 'floor'>): void {
    const now = Date.now()
    this.retryAt = now + delay
    this.#refusedUntil = now + refuseFor
    this.#notBefore = now + floor
  }

  /** Runs `retry` after the delay, unless something else happens first. */
  schedule(delay: number, retry: () => void): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.forget()
      retry()
    }, delay)
    this.#timer.unref()
  }

  /** The next try begins now. */
  cancel(): void {
    clearTimeout(this.#timer)
  }

  /** Forgets all delays. */
  forget(): void {
    this.retryAt = 0
    this.#refusedUntil = 0
    this.#notBefore = 0
  }

  /** Callers that come right after a failure wait together for the next attempt. */
  async pause(signal: AbortSignal): Promise<void> {
    const pause = this.#notBefore - Date.now()
    if (pause <= 0) return
    await sleep(pause, undefined, { signal }).catch(() => {
      throw signal.reason
    })
  }
}

/** The facts of a connection that cannot be used now. */
interface Failed {
  readonly state: string
  readonly reason: string | undefined
  readonly failure: unknown
}

/** Why a connection is not made now; undefined when a call may try. */
export function refusalOf(
  { state, reason, failure: cause }: Failed,
  name: string,
  isEnded: boolean,
  refusedFor: number,
): TargetError | undefined {
  const refused = `Target "${name}"`
  if (isEnded) return new TargetError(name, 'stopped', `${refused} is stopped`)
  if (state === 'stopped') {
    const why = `it is never started again by itself (restart policy "never"): ${reason}`
    return new TargetError(name, 'stopped', `${refused} is down, and ${why}`, { cause })
  }
  if (refusedFor === 0) return undefined
  if (state === 'needs-auth')
    return new TargetError(name, 'unauthorized', `${refused} needs a login: ${reason}`)
  const retryIn = Math.ceil(refusedFor / 1000)
  const text = `${refused} is not available (tried again in ${retryIn} s): ${reason}`
  const kind = state === 'quarantined' ? 'quarantined' : 'backing_off'
  return new TargetError(name, kind, text, { facts: { retryIn }, cause })
}
