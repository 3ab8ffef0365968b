import type { JsonObject } from '@gantry/mcp/exchange'
import type { ResultRule } from '../../model/index.ts'
import type { Resolved } from '../gateway-exchange.ts'
import { ResultCleaner } from './result-cleaner.ts'
import { isAbout } from './result-handling.ts'

/** The arguments of a call as other people may see them. Undefined when a rule refuses what is in them. */
export function shownArguments(
  args: JsonObject | undefined,
  resolved: Resolved,
  rules: readonly ResultRule[],
): JsonObject | undefined {
  const own = rules.filter((rule) => isAbout(rule, resolved))
  if (!args || own.length === 0) return args
  try {
    // Paths of rules are those of structured content.
    const cleaned = new ResultCleaner(own, () => {}).clean({ structuredContent: args })
    return cleaned.structuredContent
  } catch {
    return undefined
  }
}
