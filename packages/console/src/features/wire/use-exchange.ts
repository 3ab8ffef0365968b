import { useQuery } from '@tanstack/react-query'
import type { WireDetail } from '../../api/contract.ts'
import { wireDetailQuery } from '../../api/queries.ts'
import { useStore } from '../../api/store.ts'
import { imported } from './imported.ts'

interface Found {
  readonly data: WireDetail | undefined
  readonly error: unknown
  /** Whether it comes from a file: the gateway knows nothing of it. */
  readonly isImported: boolean
}

/** One exchange with its messages, of the file that is shown or of the gateway. */
export function useExchange(id: number): Found {
  const file = useStore(imported)
  const { data, error } = useQuery({ ...wireDetailQuery(id), enabled: file === undefined })
  if (!file) return { data, error, isImported: false }
  const found = file.records.find((record) => record.id === id)
  return {
    data: found,
    error: found ? null : new Error(`Exchange ${id} is not in ${file.file}`),
    isImported: true,
  }
}
