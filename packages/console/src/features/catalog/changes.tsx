import { useQuery } from '@tanstack/react-query'
import type { CatalogChange } from '../../api/contract.ts'
import { changesQuery } from '../../api/queries.ts'
import { createStore, useStore, type Store } from '../../api/store.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Empty } from '../../ui/signs/empty.tsx'
import { formatCount } from '../../ui/text/format.ts'
import { Failure } from '../../ui/signs/notice.tsx'
import { Skeleton } from '../../ui/signs/skeleton.tsx'
import { ChangeList } from './change-list.tsx'
import styles from './changes.module.css'

const SEEN = 'gantry.seen-change'

/** The last change that was marked as seen. */
export const seenChange: Store<number> = createStore(Number(localStorage.getItem(SEEN) ?? 0))

/** How many changes are new to the reader. */
export function useFreshChanges(): number {
  const { data } = useQuery(changesQuery)
  const seen = useStore(seenChange)
  return data?.changes.filter(({ id }) => id > seen).length ?? 0
}

/** `2 added, 1 changed, 3 removed` */
function counts(changes: readonly CatalogChange[]): string {
  const of = (type: CatalogChange['type']) => changes.filter((change) => change.type === type).length
  const words = (['added', 'changed', 'removed'] as const).map((type) => [of(type), type] as const)
  return words.flatMap(([count, type]) => (count === 0 ? [] : [`${formatCount(count)} ${type}`])).join(', ')
}

/** What became different, newest first, with a line where the last look was. */
export function Changes() {
  const { data, error } = useQuery(changesQuery)
  const fresh = useFreshChanges()
  if (error) return <Failure error={error} />
  if (!data) return <Skeleton lines={5} />
  if (data.changes.length === 0) {
    return (
      <Empty title="Nothing has changed">
        When a target’s tools, descriptions or schemas become different, also over restarts, each change shows
        here.
      </Empty>
    )
  }
  return (
    <div className={styles.changes}>
      <div className={styles.bar}>
        <h2>
          {fresh === 0
            ? 'Nothing new since your last look'
            : `${formatCount(fresh)} new since your last look: ${counts(data.changes.slice(0, fresh))}`}
        </h2>
        {fresh > 0 && (
          <Button
            onClick={() => {
              localStorage.setItem(SEEN, String(data.newest))
              seenChange.set(data.newest)
            }}
          >
            Mark as seen
          </Button>
        )}
      </div>
      <ChangeList changes={data.changes} fresh={fresh} />
    </div>
  )
}
