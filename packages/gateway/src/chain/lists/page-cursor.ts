import { INVALID_PARAMS, ProtocolError } from '@gantry/mcp/exchange'
import type { MergedEntry } from '../../catalog/merged.ts'
import type { TargetCatalog } from '../../catalog/target-catalog.ts'

/** The last entry of a page: its name, whose it is, and how many of its target's stand in front of it. */
export interface Position {
  readonly ordinal: number
  readonly target: string
  readonly key: string
}

export function positionOf(entry: MergedEntry, entries: readonly MergedEntry[]): Position {
  const first = entries.findIndex(({ target }) => target === entry.target)
  return { ordinal: entries.indexOf(entry) - first, target: entry.target.target.name, key: entry.key }
}

/** Where the next page begins: after the entry seen last, or, when it is gone, after as many entries. */
export function beginAfter(
  { ordinal, target, key }: Position,
  entries: readonly MergedEntry[],
  catalogs: readonly TargetCatalog[],
): number {
  const seen = entries.findIndex((entry) => entry.key === key)
  if (seen >= 0) return seen + 1
  const place = catalogs.findIndex((one) => one.target.name === target)
  // Without its target nothing says how far the client had come.
  if (place < 0) throw unknownCursor()
  const before = countOf(entries, new Set(catalogs.slice(0, place)))
  const own = countOf(entries, new Set([catalogs[place]!]))
  return before + Math.min(ordinal, own)
}

function countOf(entries: readonly MergedEntry[], catalogs: ReadonlySet<TargetCatalog>): number {
  return entries.filter((entry) => catalogs.has(entry.target)).length
}

export function writeCursor({ ordinal, target, key }: Position): string {
  return Buffer.from(`${ordinal}/${target}/${key}`).toString('base64url')
}

/** Names of targets hold no "/". */
export function readCursor(cursor: unknown): Position | undefined {
  if (cursor === undefined) return undefined
  const text = typeof cursor === 'string' ? Buffer.from(cursor, 'base64url').toString() : ''
  const [, ordinal, target, key] = /^(\d{1,9})\/([^/]+)\/(.+)$/s.exec(text) ?? []
  if (target === undefined || key === undefined) throw unknownCursor()
  return { ordinal: Number(ordinal), target, key }
}

function unknownCursor(): ProtocolError {
  return new ProtocolError(INVALID_PARAMS, 'Invalid params: unknown cursor')
}
