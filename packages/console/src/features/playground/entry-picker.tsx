import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useCatalog } from '../../api/use-catalog.ts'
import { KindBadge } from '../../ui/signs/badge.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { Card } from '../../ui/layout/card.tsx'
import { SearchField, Select } from '../../ui/controls/fields.tsx'
import { Failure } from '../../ui/signs/notice.tsx'
import { Skeleton } from '../../ui/signs/skeleton.tsx'
import { VirtualList } from '../../ui/lists/virtual-list.tsx'
import { filterEntries } from '../catalog/filter-entries.ts'
import type { Pick } from './drafts.ts'
import styles from './entry-picker.module.css'

interface Props {
  readonly selected: Pick | undefined
  readonly onPick: (pick: Pick) => void
}

export function EntryPicker({ selected, onPick }: Props) {
  const { data, error } = useCatalog()
  const [text, setText] = useState('')
  const [kind, setKind] = useState('')
  const entries = filterEntries(data?.entries ?? [], { text, kind, target: '' })
  return (
    <Card>
      <div className={styles.picker}>
        <SearchField label="Find something to call" value={text} onChange={setText} />
        <Select
          label="Kind"
          value={kind}
          onChange={setKind}
          options={[
            ['', 'All kinds'],
            ['tool', 'Tools'],
            ['prompt', 'Prompts'],
            ['resource', 'Resources'],
            ['template', 'Templates'],
          ]}
        />
        {error && <Failure error={error} />}
        {!data && !error && <Skeleton lines={6} height="2rem" />}
        <VirtualList
          label="Entries"
          items={entries}
          rowHeight={44}
          keyOf={({ kind: one, key, target }) => `${one} ${key} ${target}`}
          isSelected={(entry) => selected?.kind === entry.kind && selected.name === entry.key}
          onSelect={(entry) => onPick({ kind: entry.kind, name: entry.key })}
          className={styles.list}
        >
          {(entry) => (
            <>
              <span className={styles.name}>{entry.key}</span>
              <span className={styles.second}>
                <KindBadge kind={entry.kind} /> {entry.target}
              </span>
            </>
          )}
        </VirtualList>
        {data && entries.length === 0 && (
          <p className={styles.none}>
            Nothing matches.{' '}
            {text !== '' && (
              <Link to="/why" search={{ name: text }}>
                Why is “{text}” missing?
              </Link>
            )}
          </p>
        )}
        <Button onClick={() => onPick({ kind: 'request', name: 'tools/list' })}>Other request…</Button>
      </div>
    </Card>
  )
}
