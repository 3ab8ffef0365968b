import type { CatalogEntry } from '../../api/contract.ts'

export interface EntryFilter {
  readonly text: string
  readonly kind: string
  readonly target: string
}

/** Entries that have every word in their name, title or description; matches in names come first. */
export function filterEntries(entries: readonly CatalogEntry[], filter: EntryFilter): CatalogEntry[] {
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean)
  const found = entries.filter(
    (entry) =>
      (filter.kind === '' || entry.kind === filter.kind) &&
      (filter.target === '' || entry.target === filter.target) &&
      words.every((word) => textOf(entry).includes(word)),
  )
  if (words.length === 0) return found
  const inName = (entry: CatalogEntry) =>
    words.every((word) => entry.key.toLowerCase().includes(word)) ? 0 : 1
  return found.sort((a, b) => inName(a) - inName(b))
}

function textOf({ key, own, title = '', description = '' }: CatalogEntry): string {
  return `${key}\n${own}\n${title}\n${description}`.toLowerCase()
}
