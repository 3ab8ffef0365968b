import type { CatalogEntry, WhyReport } from '../contract.ts'

const MOST = 5
/** Comparing is quadratic in the length, and nobody misspells a name of that length. */
const LONGEST = 80

/** Entries whose names look like this one, the most alike first. */
export function similarNames(name: string, entries: readonly CatalogEntry[]): WhyReport['similar'] {
  const wanted = name.toLowerCase().slice(0, LONGEST)
  const limit = Math.max(2, Math.floor(wanted.length / 3))
  return entries
    .filter((entry) => entry.visible)
    .map((entry) => ({ entry, distance: Math.min(rank(wanted, entry.key), rank(wanted, entry.own)) }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, MOST)
    .map(({ entry: { kind, key, target } }) => ({ kind, key, target }))
}

function rank(wanted: string, name: string): number {
  const candidate = name.toLowerCase().slice(0, LONGEST)
  if (candidate === wanted) return 0
  if (wanted.length > 2 && (candidate.endsWith(wanted) || wanted.endsWith(candidate))) return 1
  return distance(wanted, candidate)
}

/** Levenshtein's, one row at a time. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const swap = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(swap, row[j]! + 1, next[j - 1]! + 1))
    }
    row = next
  }
  return row[b.length]!
}
