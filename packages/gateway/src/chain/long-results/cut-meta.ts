import { isJsonObject, type JsonObject } from '@gantry/mcp/exchange'
import { tokensOfValue } from './tokens.ts'

/** A result without the longest members of `_meta`, and what they were, by where they stood. */
export interface CutMeta {
  readonly result: JsonObject
  readonly lost: JsonObject
}

/**
 * `_meta` is for programs, so there is no head and tail of it: its longest members are left out, in the result and in
 * its parts, until all of it has no more tokens than `room`.
 */
export function cutMeta(result: JsonObject, room: number): CutMeta {
  const holders = metaHolders(result)
  const members = holders.flatMap(({ path, meta }) =>
    Object.entries(meta).map(([name, value]) => ({ path, name, value, tokens: tokensOfValue(value) })),
  )
  let left = members.reduce((sum, { tokens }) => sum + tokens, 0) - room
  const gone = new Map<string, Set<string>>()
  const lost: JsonObject = {}
  for (const { path, name, value, tokens } of members.toSorted((one, other) => other.tokens - one.tokens)) {
    if (left <= 0) break
    left -= tokens
    gone.set(path, (gone.get(path) ?? new Set()).add(name))
    lost[`${path}_meta.${name}`] = value
  }
  return { result: gone.size === 0 ? result : without(result, gone, ''), lost }
}

interface MetaHolder {
  readonly path: string
  readonly meta: JsonObject
}

/** The result, its parts, and resources in them. */
function metaHolders(result: JsonObject): MetaHolder[] {
  const own = isJsonObject(result._meta) ? [{ path: '', meta: result._meta }] : []
  return [...own, ...partsOf(result, '').flatMap(({ path, part }) => holdersIn(part, path))]
}

function holdersIn(part: JsonObject, path: string): MetaHolder[] {
  const own = isJsonObject(part._meta) ? [{ path, meta: part._meta }] : []
  return isJsonObject(part.resource) ? [...own, ...holdersIn(part.resource, `${path}resource.`)] : own
}

function partsOf({ content }: JsonObject, path: string): { path: string; part: JsonObject }[] {
  return (Array.isArray(content) ? content : []).flatMap((part, at) =>
    isJsonObject(part) ? [{ path: `${path}content.${at}.`, part }] : [],
  )
}

function without(
  holder: JsonObject,
  gone: ReadonlyMap<string, ReadonlySet<string>>,
  path: string,
): JsonObject {
  const shown: JsonObject = { ...holder }
  const names = gone.get(path)
  if (names && isJsonObject(holder._meta)) {
    const kept = Object.entries(holder._meta).filter(([name]) => !names.has(name))
    if (kept.length > 0) shown._meta = Object.fromEntries(kept)
    else delete shown._meta
  }
  if (isJsonObject(holder.resource)) shown.resource = without(holder.resource, gone, `${path}resource.`)
  if (path === '' && Array.isArray(holder.content)) {
    shown.content = holder.content.map((part, at) =>
      isJsonObject(part) ? without(part, gone, `content.${at}.`) : part,
    )
  }
  return shown
}
