import { getRouteApi } from '@tanstack/react-router'
import { useDeferredValue, useEffect, useMemo, useState } from 'react'
import { parseWireFilter } from '../../api/contract.ts'
import { recording } from '../../api/live.ts'
import { useMay } from '../../api/may.tsx'
import { useStore } from '../../api/store.ts'
import { used } from '../../api/used.ts'
import { loadWire, wireStore } from '../../api/wire-store.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Failure, Notice } from '../../ui/signs/notice.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { Skeleton } from '../../ui/signs/skeleton.tsx'
import { readSort, writeSort } from '../../ui/table/sort-rows.ts'
import { Compare } from './compare.tsx'
import { Exchange } from './exchange.tsx'
import { ExchangeTable } from './exchange-table.tsx'
import { Facets } from './facets.tsx'
import { imported } from './files/imported.ts'
import { Nothing } from './nothing.tsx'
import { SavedViews } from './saved-views.tsx'
import { Timeline } from './timeline.tsx'
import { WireActions, WireBar } from './wire-bar.tsx'
import styles from './wire-page.module.css'

const route = getRouteApi('/wire')

export function WirePage() {
  const search = route.useSearch()
  const { filter = '', id, sort = '', with: other, view = 'table', who } = search
  const navigate = route.useNavigate()
  const may = useMay()
  const set = (change: Partial<typeof search>, replace = true) =>
    navigate({ search: (old) => ({ ...old, ...change }), replace })
  const live = useStore(wireStore)
  const file = useStore(imported)
  const [frozen, setFrozen] = useState<typeof live>()
  const [isComparing, setComparing] = useState(false)
  useEffect(() => {
    recording.set(true)
    void loadWire()
  }, [])
  // The newest are not enough to filter or sort, even when a link does it and no person yet.
  const isNarrowed = filter !== '' || sort !== ''
  useEffect(() => {
    if (isNarrowed) used.set(true)
  }, [isNarrowed])
  const { loaded, error } = live
  const source = file ?? frozen ?? live
  const { records } = source
  const asked = useDeferredValue(filter)
  const matches = useMemo(() => parseWireFilter(asked), [asked])
  const shown = useMemo(() => records.filter(matches), [records, matches])
  const order = useMemo(() => readSort(sort === '' ? '-time' : sort), [sort])
  const open = (next: number, { shift }: { readonly shift: boolean }) => {
    const isOther = id !== undefined && next !== Number(id)
    if ((isComparing || shift) && isOther && may('wireDetail')) void set({ with: String(next) }, false)
    else void set({ id: String(next) }, id !== undefined)
    setComparing(false)
  }
  const rows = { records: shown, selected: id === undefined ? [] : [Number(id)], onOpen: open }
  return (
    <Page
      title="Wire"
      lead="Every exchange, both hops, as it happens."
      fill
      actions={<WireActions filter={filter} isImported={file !== undefined} />}
    >
      <SavedViews filter={filter} sort={sort} onChoose={(chosen) => set({ ...chosen })} />
      <WireBar
        filter={filter}
        onFilter={(text) => set({ filter: text })}
        records={records}
        shown={shown.length}
        all={Math.max(records.length, 'kept' in source ? source.kept : 0)}
        frozen={frozen}
        onFreeze={setFrozen}
        view={view}
        onView={(next) => set({ view: next })}
      />
      <Facets records={shown} filter={filter} onFilter={(text) => set({ filter: text })} />
      {isComparing && <Choose id={id} onCancel={() => setComparing(false)} />}
      {error !== undefined && <Failure error={error} />}
      {!loaded && <Skeleton lines={8} height="1.8rem" />}
      {loaded && other !== undefined && id !== undefined && (
        <div className={styles.one}>
          <Compare ids={[Number(id), Number(other)]} onClose={() => set({ with: '' })} />
        </div>
      )}
      {loaded && other === undefined && (
        <div className={id === undefined || isComparing ? styles.one : styles.two}>
          {shown.length === 0 && <Nothing isFiltered={records.length > 0} />}
          {shown.length > 0 && view === 'timeline' && (
            <Timeline {...rows} who={who} onWho={(next) => set({ who: next })} />
          )}
          {shown.length > 0 && view !== 'timeline' && (
            <ExchangeTable
              {...rows}
              sort={order}
              onSort={(next) => set({ sort: writeSort(next) })}
              viewKey={asked}
              opensByMoving={!isComparing}
            />
          )}
          {id !== undefined && !isComparing && (
            <Exchange
              key={id}
              id={Number(id)}
              onClose={() => set({ id: '' })}
              onCompare={() => setComparing(true)}
            />
          )}
        </div>
      )}
    </Page>
  )
}

function Choose({ id, onCancel }: { id: string | undefined; onCancel: () => void }) {
  return (
    <Notice tone="accent" title={`Choose the exchange to compare with #${id}`}>
      Click it, or go to it and press Enter. <Button onClick={onCancel}>Never mind</Button>
    </Notice>
  )
}
