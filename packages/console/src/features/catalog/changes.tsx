import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { CatalogChange } from '../../api/contract.ts'
import { changesQuery } from '../../api/queries.ts'
import { Badge, KindBadge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { DiffView } from '../../ui/diff-view.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Failure } from '../../ui/notice.tsx'
import { Rich } from '../../ui/rich.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Clock } from '../../ui/time.tsx'
import styles from './changes.module.css'

const SEEN = 'gantry.seen-change'
const TONES = { added: 'ok', removed: 'bad', changed: 'warn' } as const

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
  const fresh = data.changes.filter(({ id }) => id > seen)
  const old = data.changes.filter(({ id }) => id <= seen)
  return (
    <div className={styles.changes}>
      <div className={styles.bar}>
        <h2>
          {fresh.length === 0
            ? 'Nothing new since your last look'
            : `${fresh.length} new since your last look`}
        </h2>
        {fresh.length > 0 && (
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
      {fresh.map((change) => (
        <ChangeView key={change.id} change={change} />
      ))}
      {old.length > 0 && <h2>Earlier</h2>}
      {old.map((change) => (
        <ChangeView key={change.id} change={change} />
      ))}
    </div>
  )
}

export function ChangeView({ change, isOpen = false }: { change: CatalogChange; isOpen?: boolean }) {
  const head = (
    <>
      <Badge tone={TONES[change.type]}>{change.type}</Badge> <KindBadge kind={change.kind} />{' '}
      <code>{change.key}</code>{' '}
      <span className={styles.muted}>
        {change.target} · <Clock at={change.at} />
      </span>
    </>
  )
  // Differences are long and many; they are made when somebody looks.
  const [isShown, setShown] = useState(isOpen)
  if (change.parts.length === 0) return <p className={styles.change}>{head}</p>
  return (
    <details
      className={styles.change}
      open={isOpen}
      onToggle={({ currentTarget }) => currentTarget.open && setShown(true)}
    >
      <summary>
        {head} <span className={styles.muted}>{change.parts.map(({ member }) => member).join(', ')}</span>
      </summary>
      {isShown &&
        change.parts.map((part) => (
          <div key={part.member} className={styles.part}>
            <h3>{part.member}</h3>
            <ul>
              {part.summary.map((line) => (
                <li key={line}>
                  <Rich text={line} />
                </li>
              ))}
            </ul>
            {part.diff.length > 0 && <DiffView hunks={part.diff} label={`Difference of ${part.member}`} />}
          </div>
        ))}
    </details>
  )
}
