import { Link } from '@tanstack/react-router'
import { escapeControls, type CatalogEntry } from '../../api/contract.ts'
import { Badge, KindBadge } from '../../ui/signs/badge.tsx'
import { Empty } from '../../ui/signs/empty.tsx'
import { formatCount, plural } from '../../ui/text/format.ts'
import { VirtualList } from '../../ui/lists/virtual-list.tsx'
import { AnnotationBadges } from './annotation-badges.tsx'
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
  if (entries.length === 0) return <Nothing missing={missing} />
  return (
    <VirtualList
      label="Entries"
      items={entries}
      rowHeight={54}
      keyOf={({ kind, key, target }) => `${kind} ${key} ${target}`}
      isSelected={({ kind, key }) => `${kind} ${key}` === selected}
      onSelect={onSelect}
      className={styles.box}
      rowClassName={styles.entry}
    >
      {(entry) => <Row entry={entry} />}
    </VirtualList>
  )
}

function Row({ entry }: { entry: CatalogEntry }) {
  return (
    <>
      <span className={styles.first}>
        <KindBadge kind={entry.kind} />
        <code className={entry.visible ? styles.name : styles.hidden}>{escapeControls(entry.key)}</code>
        {entry.title !== undefined && <span className={styles.title}>{escapeControls(entry.title)}</span>}
        {!entry.visible && <Badge title={entry.hiddenBy && HIDDEN[entry.hiddenBy]}>hidden</Badge>}
        {entry.change && (
          <Badge tone={entry.change.type === 'removed' ? 'bad' : 'warn'}>{entry.change.type}</Badge>
        )}
        {entry.stale && <Badge tone="warn">from earlier</Badge>}
        {entry.collidesWith !== undefined && <Badge tone="warn">collides with {entry.collidesWith}</Badge>}
        <span className={styles.tokens}>~{formatCount(entry.tokens)}</span>
      </span>
      <span className={styles.second}>
        <span className={styles.target}>{entry.target}</span>{' '}
        <AnnotationBadges annotations={entry.annotations} />{' '}
        {entry.findings !== undefined && (
          <Badge tone="warn" title="Things that known clients refuse or cut">
            {plural(entry.findings, 'finding')}
          </Badge>
        )}{' '}
        {escapeControls(entry.description ?? '')}
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
