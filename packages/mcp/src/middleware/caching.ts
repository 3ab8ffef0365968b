import { deriveExchange } from '../exchange/derive-exchange.ts'
import type { Exchange, Middleware } from '../exchange/exchange.ts'
import { canonicalJson, type JsonObject, NotReadYet, parseJson } from '../jsonrpc/index.ts'
import { callerKey } from '../protocol/callers.ts'
import { type Duration, parseDuration } from '../protocol/parse-duration.ts'
import { MemoryStore, type Store } from '../server/index.ts'
import { type FormsOf, requireKnownOptions } from '../protocol/known-options.ts'

export interface CachingOptions {
  /** Tools whose results may be given again. There is no default: only you know which have no effects. */
  tools: readonly string[]
  /** How long a result is good. */
  ttl: Duration
  /**
   * The key of callers that share a result. Default: the caller itself. With a constant all callers share it, also
   * callers that `scopes` or `when` of the tool would refuse.
   */
  per?: (exchange: Exchange) => string
  /** Where results are kept. Default: memory, up to 10,000 of them. */
  store?: Store
}

const OPTIONS: FormsOf<CachingOptions> = { tools: 1, ttl: 1, per: 1, store: 1 }

/**
 * Answers calls with equal arguments from memory. Failures, tasks, files that are read while they are sent, and what
 * depends on a user's answers are not kept.
 *
 * ```ts
 * app.use(caching({ tools: ['search'], ttl: '1m' }))
 * ```
 */
export function caching(options: CachingOptions): Middleware {
  requireKnownOptions('cache', OPTIONS, options)
  const { tools, ttl, per = callerKey, store = new MemoryStore() } = options
  const names = new Set<unknown>(tools)
  const milliseconds = parseDuration(ttl)
  return async (exchange, next) => {
    const { name, arguments: args, requestState, inputResponses, task } = exchange.params
    const isPlain = requestState === undefined && inputResponses === undefined && task === undefined
    if (exchange.method !== 'tools/call' || !names.has(name) || !isPlain) return next()
    const key = `result ${canonicalJson([per(exchange), name, args ?? {}])}`
    const kept = await store.get(key)
    if (kept !== undefined) return { type: 'complete', result: parseJson(kept) as JsonObject }
    let hasAsked = false
    const { ask } = exchange
    const watched = deriveExchange(exchange, {
      ask:
        ask &&
        ((...args) => {
          hasAsked = true
          return ask(...args)
        }),
    })
    const outcome = await next(watched)
    const isKept = outcome.type === 'complete' && outcome.result.isError !== true && !hasAsked
    const text = isKept ? toText(outcome.result) : undefined
    if (text !== undefined) await store.set(key, text, milliseconds)
    return outcome
  }
}

/** Undefined when a part of it is still to be read. */
function toText(result: JsonObject): string | undefined {
  try {
    return JSON.stringify(result)
  } catch (thrown) {
    if (thrown instanceof NotReadYet) return undefined
    throw thrown
  }
}
