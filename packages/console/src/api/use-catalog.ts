import { useQuery } from '@tanstack/react-query'
import type { CatalogList } from './contract.ts'
import { briefCatalogQuery, catalogQuery, firstEntriesQuery } from './queries.ts'
import { useStore } from './store.ts'
import { used } from './used.ts'

interface Wanted {
  /** Every name from the beginning, to find one of them: those out of sight have no descriptions yet. */
  readonly names?: boolean
}

/** The catalog: as much as a screen shows at first, and all of it once a person uses the page. */
export function useCatalog({ names = false }: Wanted = {}): {
  data: CatalogList | undefined
  error: Error | null
} {
  const isUsed = useStore(used)
  const whole = useQuery({ ...catalogQuery, enabled: isUsed })
  const first = useQuery({ ...firstEntriesQuery, enabled: !isUsed })
  const isPart = first.data !== undefined && first.data.entries.length < first.data.total
  const brief = useQuery({ ...briefCatalogQuery, enabled: names && isPart && !isUsed })
  return {
    data: whole.data ?? (names ? brief.data : undefined) ?? first.data,
    error: whole.error ?? first.error ?? brief.error,
  }
}
