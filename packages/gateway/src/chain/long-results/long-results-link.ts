import { complete, isJsonObject, type JsonObject, type Outcome } from '@gantry/mcp/exchange'
import type { ResultRule } from '../../model/index.ts'
import { absent } from '../absent.ts'
import type { GatewayExchange, Resolved } from '../gateway-exchange.ts'
import type { Link } from '../link.ts'
import { isAbout } from '../results/result-handling.ts'
import { KeptResults, type KeptResultsOptions } from './kept-results.ts'
import { shortenResult, type Shortening } from './shorten-result.ts'

/**
 * Cuts results that are longer than their clients can read, and answers requests for the rest. It stands in front of
 * `resolve`: the rest belongs to the gateway, and its URI has no target.
 */
export function longResultsLink(
  rules: readonly ResultRule[],
  options: Omit<KeptResultsOptions, 'rules'>,
): Link | undefined {
  const own = rules.filter(({ maxTokens, dropRepeated }) => maxTokens !== undefined || dropRepeated)
  if (own.length === 0) return undefined
  const kept = new KeptResults({ ...options, rules })
  return async (exchange, next) => {
    const { uri } = exchange.params
    if (exchange.method === 'resources/read' && KeptResults.isOne(uri)) {
      const found = await kept.read(uri, exchange)
      if (!found) throw absent(exchange)
      return complete(found)
    }
    const outcome = await next()
    const { resolved } = exchange
    const matching = resolved?.kind === 'tools' ? own.filter((rule) => isAbout(rule, resolved)) : []
    return matching.length === 0 ? outcome : shorten(outcome, together(matching, resolved!), kept, exchange)
  }
}

/** When several rules apply, the strictest holds. */
function together(rules: readonly ResultRule[], { entry }: Resolved): Shortening {
  const limits = rules.flatMap(({ maxTokens }) => maxTokens ?? [])
  return {
    maxTokens: limits.length === 0 ? undefined : Math.min(...limits),
    dropRepeated: rules.some(({ dropRepeated }) => dropRepeated),
    isPromised: entry?.item.outputSchema !== undefined,
  }
}

async function shorten(
  outcome: Outcome,
  how: Shortening,
  kept: KeptResults,
  exchange: GatewayExchange,
): Promise<Outcome> {
  if (outcome.type !== 'complete') return outcome
  const { result } = outcome
  const fit = (one: JsonObject): Promise<JsonObject> =>
    shortenResult(one, how, (text, bytesOf) => kept.keep(text, exchange, bytesOf))
  // A task that has ended shows the result of its call.
  const inner = result.result
  const shown = isJsonObject(inner) ? { ...result, result: await fit(inner) } : await fit(result)
  return shown === result ? outcome : complete(shown)
}
