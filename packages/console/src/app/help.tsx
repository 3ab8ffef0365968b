import { useQuery } from '@tanstack/react-query'
import { overviewQuery, sessionQuery } from '../api/queries.ts'
import { Dialog } from '../ui/layout/dialog.tsx'
import { pagesOf } from './pages.ts'
import styles from './help.module.css'

const KEYS: readonly (readonly [keys: string, what: string])[] = [
  ['Ctrl K', 'find pages, targets, tools and actions'],
  ['/', 'go to the search field of the page'],
  ['?', 'show this list'],
  ['Esc', 'close what is open'],
  ['Ctrl Enter', 'send the form'],
  ['↑ ↓ Home End', 'move in a list'],
]

/** What the keys do. */
export default function Help({ onClose }: { onClose: () => void }) {
  const { data: session } = useQuery(sessionQuery)
  const { data } = useQuery({ ...overviewQuery, enabled: session?.role !== undefined })
  const pages = pagesOf(data, session).map(({ key, title }) => [`g ${key}`, `go to ${title}`] as const)
  return (
    <Dialog open onClose={onClose} title="Keys">
      <dl className={styles.keys}>
        {[...KEYS, ...pages].map(([keys, what]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
