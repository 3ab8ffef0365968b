import { live } from '../api/live.ts'
import { useStore } from '../api/store.ts'
import { Notice } from '../ui/signs/notice.tsx'

/** Says that the page shows old data while the gateway does not answer. */
export function LostBanner() {
  if (useStore(live.state) !== 'lost') return null
  return (
    <Notice tone="bad" flush title="The gateway does not answer">
      What you see is from before. This page comes back by itself when the gateway does; check that{' '}
      <code>gantry serve</code> is running.
    </Notice>
  )
}
