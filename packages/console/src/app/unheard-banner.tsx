import { useQuery } from '@tanstack/react-query'
import { useMay } from '../api/may.tsx'
import { overviewQuery } from '../api/queries.ts'
import { Notice } from '../ui/signs/notice.tsx'

/** On every page, while other processes of this gateway do not answer: their part is missing there. */
export function UnheardBanner() {
  const may = useMay()
  const { data } = useQuery({ ...overviewQuery, enabled: may('overview') })
  const unheard = data?.gateway.unheard
  if (!unheard) return null
  return (
    <Notice tone="warn" flush title="Not all of this gateway is shown">
      There is no answer from {unheard.join(', ')}. What is done there is missing in lists and figures until
      it answers, or is known to be gone.
    </Notice>
  )
}
