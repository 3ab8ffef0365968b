import { useQuery } from '@tanstack/react-query'
import type { CatalogList } from './contract.ts'
import { catalogQuery, firstEntriesQuery } from './queries.ts'
import { useStore } from './store.ts'
import { used } from './used.ts'

interface Wanted {
  /** Everything from the beginning, to find or filter something. */
  readonly whole?: boolean
}

/** The catalog: as much as a screen shows at first, and all of it once a person uses the page. */
export function useCatalog({ whole = false }: Wanted = {}): {
  data: CatalogList | undefined
  error: Error | null
} {
  const isWhole = useStore(used) || whole
  const all = useQuery({ ...catalogQuery, enabled: isWhole })
  const first = useQuery({ ...firstEntriesQuery, enabled: !isWhole })
  return { data: all.data ?? first.data, error: all.error ?? first.error }
}
