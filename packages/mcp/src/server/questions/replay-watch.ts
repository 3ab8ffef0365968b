import type { Exchange, Notification } from '../../exchange/index.ts'
import { canonicalJson, isJsonObject, type JsonObject } from '../../jsonrpc/index.ts'

/** Something that makes a handler unsafe to be run again for its next answer. */
export interface ReplayWarning {
  /**
   * `diverged`: a re-run asked, did or reported something else than the run before it;
   * `await_outside`: something outside `ctx` was awaited before a question, and is awaited again in every round;
   * `unsafe_step`: a step returned what does not survive JSON, so that re-runs get something else.
   */
  kind: 'diverged' | 'await_outside' | 'unsafe_step'
  method: string
  name: string
  message: string
}

export type ReplayWatcher = (warning: ReplayWarning) => void

const MAX_EVENTS = 1_000
const MAX_LABEL = 300

/** Follows one run of a handler: what it asks, does in steps and reports, in this order, in every run. */
export class ReplayTrace {
  readonly events: string[] = []
  readonly #before: readonly string[]
  readonly #exchange: Exchange
  readonly #watcher: ReplayWatcher
  #diverged = false
  #busy = 0
  /** True in the turn in which the handler was started or last got something from `ctx`. */
  #fresh = false

  constructor(exchange: Exchange, before: readonly string[] | undefined, watcher: ReplayWatcher) {
    this.#exchange = exchange
    this.#before = before ?? []
    this.#watcher = watcher
    this.#refresh()
  }

  question(key: string, message: string): void {
    const isNew = this.events.length >= this.#before.length
    if (isNew && !this.#fresh && this.#busy === 0) {
      this.#warn(
        'await_outside',
        `Something outside ctx was awaited before the question "${message}". It is done again in every ` +
          'round: do it in ctx.step(…), or after the question.',
      )
    }
    this.#record(`the question ${key} (${message})`)
  }

  stepStarted(name: string): void {
    this.#busy++
    this.#record(`the step "${name}"`)
  }

  stepEnded(name: string, value: unknown, replayed: boolean): void {
    this.#busy--
    this.#refresh()
    if (!replayed && !isJsonSafe(value)) {
      this.#warn(
        'unsafe_step',
        `The step "${name}" returned a value that does not survive JSON: the next round gets another one.`,
      )
    }
  }

  answered(): void {
    this.#refresh()
  }

  notified({ method, params = {} }: Notification): void {
    // Every round is a request of its own, with its own token.
    const { progressToken: _token, ...rest } = params
    this.#record(`${method} ${canonicalJson(rest)}`)
  }

  /** The run is over: it has to have done at least what the run before it did. */
  end(): void {
    const missed = this.#before[this.events.length]
    if (missed !== undefined && !this.#diverged) this.#diverge(missed, 'nothing more')
  }

  #record(event: string): void {
    const label = event.slice(0, MAX_LABEL)
    const expected = this.#before[this.events.length]
    if (this.events.length < MAX_EVENTS) this.events.push(label)
    if (expected !== undefined && expected !== label && !this.#diverged) this.#diverge(expected, label)
  }

  #diverge(expected: string, found: string): void {
    this.#diverged = true
    this.#warn(
      'diverged',
      `The handler did not do the same when it was run again: ${expected} became ${found}. ` +
        'Before a question it may depend on arguments, answers and ctx.step(…) only.',
    )
  }

  #refresh(): void {
    this.#fresh = true
    later(() => {
      this.#fresh = false
    })
  }

  #warn(kind: ReplayWarning['kind'], message: string): void {
    const { method, params } = this.#exchange
    this.#watcher({ kind, method, name: String(params.name ?? params.uri ?? ''), message })
  }
}

/** Runs something after all work that waits for promises only. */
const later: (run: () => void) => void =
  (globalThis as { setImmediate?: (run: () => void) => void }).setImmediate ?? ((run) => setTimeout(run, 0))

/** Whether the value is the same after a journey as JSON. */
function isJsonSafe(value: unknown, depth: number = 0): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true
  if (value === undefined) return depth === 0
  if (typeof value === 'number') return Number.isFinite(value)
  if (depth > 100 || typeof value !== 'object') return false
  if (Array.isArray(value)) return value.every((item) => item !== undefined && isJsonSafe(item, depth + 1))
  const prototype = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return false
  return (
    isJsonObject(value) && Object.values(value as JsonObject).every((item) => isJsonSafe(item, depth + 1))
  )
}
