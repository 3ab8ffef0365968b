import { Link } from '@tanstack/react-router'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useRef } from 'react'
import type { CatalogEntry } from '../../api/contract.ts'
import { Badge, KindBadge } from '../../ui/badge.tsx'
import { Empty } from '../../ui/empty.tsx'
import { formatCount } from '../../ui/format.ts'
import styles from './entry-list.module.css'

interface Props {
  readonly entries: readonly CatalogEntry[]
  readonly selected: string | undefined
  /** What was looked for, when nothing is found. */
  readonly missing: string
  readonly onSelect: (entry: CatalogEntry) => void
}

const HIDDEN = {
  exclude: 'excluded by configuration',
  include: 'not in the include list',
  policy: 'denied by policy',
  'duplicate-uri': 'another target has this URI',
}

export function EntryList({ entries, selected, missing, onSelect }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: entries.length,
    getScrollElement: () => box.current,
    estimateSize: () => 54,
    overscan: 12,
  })
  if (entries.length === 0) return <Nothing missing={missing} />
  return (
    <div ref={box} className={styles.box}>
      <ul style={{ height: virtual.getTotalSize() }} aria-label="Entries">
        {virtual.getVirtualItems().map(({ index, start, size }) => {
          const entry = entries[index]!
          const id = `${entry.kind} ${entry.key}`
          return (
            <li
              key={`${id} ${entry.target}`}
              aria-posinset={index + 1}
              aria-setsize={entries.length}
              style={{ height: size, translate: `0 ${start}px` }}
            >
              <button
                type="button"
                aria-pressed={id === selected}
                className={styles.entry}
                onClick={() => onSelect(entry)}
              >
                <Row entry={entry} />
              </button>
            </li>
          )
        })}
      </ul>
    </div>
  )
}

function Row({ entry }: { entry: CatalogEntry }) {
  return (
    <>
      <span className={styles.first}>
        <KindBadge kind={entry.kind} />
        <code className={entry.visible ? styles.name : styles.hidden}>{entry.key}</code>
        {!entry.visible && <Badge title={entry.hiddenBy && HIDDEN[entry.hiddenBy]}>hidden</Badge>}
        {entry.change && (
          <Badge tone={entry.change.type === 'removed' ? 'bad' : 'warn'}>{entry.change.type}</Badge>
        )}
        {entry.stale && <Badge tone="warn">from earlier</Badge>}
        {entry.collidesWith !== undefined && <Badge tone="warn">collides with {entry.collidesWith}</Badge>}
        <span className={styles.tokens}>~{formatCount(entry.tokens)}</span>
      </span>
      <span className={styles.second}>
        <span className={styles.target}>{entry.target}</span> {entry.description ?? entry.title ?? ''}
      </span>
    </>
  )
}

function Nothing({ missing }: { missing: string }) {
  if (missing === '') return <Empty title="Nothing here">No target offers entries of this kind.</Empty>
  return (
    <Empty
      title={`Nothing matches “${missing}”`}
      action={
        <Link to="/why" search={{ name: missing }}>
          Why is “{missing}” missing?
        </Link>
      }
    >
      Names, titles and descriptions were searched.
    </Empty>
  )
}
