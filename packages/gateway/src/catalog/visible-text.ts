import { isJsonObject } from '@gantry/mcp/exchange'
import { withoutHidden } from '../model/index.ts'

/** Members whose text models read. They may hold instructions that people do not see. */
const READ_BY_MODELS: ReadonlySet<string> = new Set(['title', 'description', 'instructions'])

/** An entry of a list whose titles and descriptions hold nothing that people cannot see; the same where they do not. */
export function visibleText<T>(value: T): T
export function visibleText(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return mapped(value)
  if (!isJsonObject(value)) return value
  const entries = Object.entries(value)
  const shown = entries.map(([key, inner]): [string, unknown] => {
    const isRead = typeof inner === 'string' && READ_BY_MODELS.has(key)
    return [key, isRead ? withoutHidden(inner) : visibleText(inner)]
  })
  return shown.some(([, inner], at) => inner !== entries[at]![1]) ? Object.fromEntries(shown) : value
}

function mapped(values: readonly unknown[]): unknown {
  const shown = values.map((one) => visibleText(one))
  return shown.some((one, at) => one !== values[at]) ? shown : values
}
