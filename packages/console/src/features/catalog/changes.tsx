import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { changesQuery } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { formatCount } from '../../ui/format.ts'
import { Failure } from '../../ui/notice.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { ChangeList } from './change-list.tsx'
import styles from './changes.module.css'

const SEEN = 'gantry.seen-change'

/** What became different, newest first, with a line where the last look was. */
export function Changes() {
  const { data, error } = useQuery(changesQuery)
  const [seen, setSeen] = useState(() => Number(localStorage.getItem(SEEN) ?? 0))
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
  const fresh = data.changes.filter(({ id }) => id > seen).length
  return (
    <div className={styles.changes}>
      <div className={styles.bar}>
        <h2>
          {fresh === 0
            ? 'Nothing new since your last look'
            : `${formatCount(fresh)} new since your last look`}
        </h2>
        {fresh > 0 && (
          <Button
            onClick={() => {
              localStorage.setItem(SEEN, String(data.newest))
              setSeen(data.newest)
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
