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
  const whole = useQuery({ ...catalogQuery, enabled: useStore(used) })
  const isFirst = whole.data === undefined
  const first = useQuery({ ...firstEntriesQuery, enabled: isFirst && !names })
  const brief = useQuery({ ...briefCatalogQuery, enabled: isFirst && names })
  return {
    data: whole.data ?? (names ? brief.data : first.data),
    error: whole.error ?? (names ? brief.error : first.error),
  }
}
