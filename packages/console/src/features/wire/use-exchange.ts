import { useQuery } from '@tanstack/react-query'
import type { WireDetail } from '../../api/contract.ts'
import { wireDetailQuery } from '../../api/queries.ts'
import { useMay } from '../../api/may.tsx'
import { useStore } from '../../api/store.ts'
import { wireStore, type WireState } from '../../api/wire-store.ts'
import { imported } from './files/imported.ts'

interface Found {
  readonly data: WireDetail | undefined
  readonly error: unknown
  /** Whether it comes from a file: the gateway knows nothing of it. */
  readonly isImported: boolean
}

/** What the list says of an exchange, for those who may not see what was sent. */
function withoutMessages({ records, loaded }: WireState, id: number): Pick<Found, 'data' | 'error'> {
  const record = records.find((one) => one.id === id)
  const isGone = loaded && record === undefined
  return {
    data: record && { ...record, hops: [] },
    error: isGone ? new Error(`Exchange ${id} is gone`) : null,
  }
}

/** One exchange with its messages, of the file that is shown or of the gateway. */
export function useExchange(id: number): Found {
  const file = useStore(imported)
  const isOpen = useMay()('wireDetail')
  const live = useStore(wireStore)
  const { data, error } = useQuery({ ...wireDetailQuery(id), enabled: isOpen && file === undefined })
  if (!file && isOpen) return { data, error, isImported: false }
  if (!file) return { ...withoutMessages(live, id), isImported: false }
  const found = file.records.find((record) => record.id === id)
  return {
    data: found,
    error: found ? null : new Error(`Exchange ${id} is not in ${file.file}`),
    isImported: true,
  }
}
