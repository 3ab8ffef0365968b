import { getRouteApi, Link } from '@tanstack/react-router'
import { Pause, Play, Trash2 } from 'lucide-react'
import { useDeferredValue, useEffect, useMemo, useState } from 'react'
import { parseWireFilter } from '../../api/contract.ts'
import { recording } from '../../api/live.ts'
import { useStore } from '../../api/store.ts'
import { clearWire, loadWire, wireStore } from '../../api/wire-store.ts'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Check, SearchField } from '../../ui/fields.tsx'
import { formatCount } from '../../ui/format.ts'
import { Failure } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { notifyError } from '../../ui/toasts.tsx'
import { Exchange } from './exchange.tsx'
import { ExchangeList } from './exchange-list.tsx'
import { ExportButton } from './export-button.tsx'
import styles from './wire-page.module.css'

const route = getRouteApi('/wire')

export function WirePage() {
  const { filter = '', id } = route.useSearch()
  const navigate = route.useNavigate()
  const live = useStore(wireStore)
  const isRecording = useStore(recording)
  const [frozen, setFrozen] = useState<typeof live>()
  useEffect(() => {
    recording.set(true)
    void loadWire()
  }, [])
  const state = frozen ?? live
  const asked = useDeferredValue(filter)
  const matches = useMemo(() => parseWireFilter(asked), [asked])
  const shown = useMemo(() => state.records.filter(matches), [state.records, matches])
  const select = (next: number | undefined) =>
    navigate({
      search: ({ id: _, ...old }) => ({ ...old, ...(next !== undefined && { id: String(next) }) }),
      replace: id !== undefined,
    })
  // Not the difference of lengths: the list has a limit, and stops growing there.
  const lastSeen = frozen?.records[0]?.id ?? 0
  const waiting = frozen ? live.records.filter((record) => record.id > lastSeen).length : 0
  return (
    <Page
      title="Wire"
      lead="Every exchange, both hops, as it happens."
      fill
      actions={<Actions filter={filter} />}
    >
      <div className={styles.bar}>
        <SearchField
          label="Filter exchanges"
          placeholder="Filter: tool:search status:error >500ms client:x target:y -method:ping"
          value={filter}
          onChange={(text) => navigate({ search: (old) => ({ ...old, filter: text }), replace: true })}
        />
        <Button icon={frozen ? Play : Pause} onClick={() => setFrozen(frozen ? undefined : live)}>
          {frozen ? `Go on${waiting > 0 ? ` (${formatCount(waiting)} new)` : ''}` : 'Pause'}
        </Button>
        <Check label="Record messages" checked={isRecording} onChange={(checked) => recording.set(checked)} />
        <span className={styles.count} role="status">
          {formatCount(shown.length)} of {formatCount(state.records.length)}
        </span>
      </div>
      {state.error !== undefined && <Failure error={state.error} />}
      {!state.loaded && <Skeleton lines={8} height="1.8rem" />}
      {state.loaded && (
        <div className={id === undefined ? styles.one : styles.two}>
          {shown.length > 0 && (
            <ExchangeList
              records={shown}
              selected={id === undefined ? undefined : Number(id)}
              onSelect={select}
            />
          )}
          {shown.length === 0 && <Nothing isFiltered={state.records.length > 0} />}
          {id !== undefined && <Exchange key={id} id={Number(id)} onClose={() => select(undefined)} />}
        </div>
      )}
    </Page>
  )
}

function Actions({ filter }: { filter: string }) {
  return (
    <>
      <ExportButton filter={filter} />
      <Button icon={Trash2} onClick={() => void clearWire().catch(notifyError)}>
        Clear
      </Button>
    </>
  )
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered)
    return (
      <Empty title="No exchange matches the filter">
        Fields: tool, method, target, client, status, era, error, and durations such as &gt;500ms. A minus in
        front negates.
      </Empty>
    )
  return (
    <Empty title="No exchanges yet" action={<Link to="/playground">Make a call in the playground</Link>}>
      As soon as a client uses the gateway, its requests show here. Messages are kept from the moment this
      page was opened.
    </Empty>
  )
}
