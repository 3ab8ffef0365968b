import { createHash } from 'node:crypto'
import { callerKey, canonicalJson, outlineOf, writeJson, type Outcome } from '@gantry/mcp/exchange'
import type { RepeatedErrorsModel } from '../../model/index.ts'
import type { ResolvedExchange } from '../gateway-exchange.ts'

/** How often one call has failed in the same way. */
interface Failures {
  readonly error: string
  readonly count: number
  readonly at: number
}

/** Calls of one caller, and of all. */
const MAX_CALLS = 100
const MAX_IN_ALL = 10_000
/** Characters of an error that are compared. */
const LENGTH = 2000

/** Remembers calls that failed, so that a model which repeats one is told to stop. */
export class LoopGuard {
  readonly #model: RepeatedErrorsModel
  readonly #callers = new Map<string, Map<string, Failures>>()
  #count = 0

  constructor(model: RepeatedErrorsModel) {
    this.#model = model
  }

  /** The error that a call would most likely get again; undefined when it may be made. */
  errorOf(exchange: ResolvedExchange, now: number = Date.now()): Failures | undefined {
    // Hardly any caller has failures: the others are not even read.
    if (this.#callers.size === 0) return undefined
    const failures = this.#callers.get(callerKey(exchange))?.get(keyOf(exchange))
    if (!failures || failures.count < this.#model.after) return undefined
    return now - failures.at < this.#model.pause ? failures : undefined
  }

  note(exchange: ResolvedExchange, outcome: Outcome, now: number = Date.now()): void {
    const error = errorIn(outcome)
    if (error === undefined && this.#callers.size === 0) return
    const caller = callerKey(exchange)
    const calls = this.#callers.get(caller)
    if (error === undefined) {
      if (calls?.delete(keyOf(exchange))) this.#count--
      if (calls?.size === 0) this.#callers.delete(caller)
      return
    }
    const key = keyOf(exchange)
    const before = calls?.get(key)
    const count = before?.error === error ? before.count + 1 : 1
    this.#remember(caller, key, { error, count, at: now })
  }

  #remember(caller: string, key: string, failures: Failures): void {
    const calls = this.#callers.get(caller) ?? new Map<string, Failures>()
    // The entry that was used last is last, and the oldest entry is forgotten first.
    this.#callers.delete(caller)
    this.#callers.set(caller, calls)
    if (!calls.delete(key)) this.#count++
    calls.set(key, failures)
    if (calls.size > MAX_CALLS && calls.delete(calls.keys().next().value!)) this.#count--
    while (this.#count > MAX_IN_ALL) this.#forgetOldest()
  }

  #forgetOldest(): void {
    const [caller, calls] = this.#callers.entries().next().value!
    this.#callers.delete(caller)
    this.#count -= calls.size
  }

  /** Calls that are remembered, of all callers. */
  get size(): number {
    return this.#count
  }
}

function keyOf({ resolved, params }: ResolvedExchange): string {
  const { target, name } = resolved
  const call = canonicalJson([target.name, name, params.arguments ?? {}])
  return createHash('sha256').update(call).digest('base64url')
}

/** The error of a call as text; undefined when it did not fail. */
function errorIn(outcome: Outcome): string | undefined {
  if (outcome.type === 'error') return `${outcome.error.code} ${outcome.error.message}`.slice(0, LENGTH)
  if (outcome.type !== 'complete' || outlineOf(outcome).isError !== true) return undefined
  const { content } = outcome.result
  const texts = Array.isArray(content) ? content.map((part) => Object(part).text) : []
  const isText = texts.length > 0 && texts.every((text) => typeof text === 'string')
  return (isText ? texts.join('\n') : writeJson(content ?? null)).slice(0, LENGTH)
}
