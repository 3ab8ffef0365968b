import { Pause, Play, Trash2 } from 'lucide-react'
import { useMemo } from 'react'
import type { WireRecord } from '../../api/contract.ts'
import { recording } from '../../api/live.ts'
import { May, useMay } from '../../api/may.tsx'
import { useStore } from '../../api/store.ts'
import { clearWire, newerFirst, wireStore, type WireState } from '../../api/wire-store.ts'
import { Bar, Count } from '../../ui/layout/bar.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { Check, SearchField, Select } from '../../ui/controls/fields.tsx'
import { formatCount } from '../../ui/text/format.ts'
import { notifyError } from '../../ui/signs/toasts.tsx'
import { completeFilter } from './complete-filter.ts'
import { ExportButton } from './files/export-button.tsx'
import { ImportButton } from './files/import-button.tsx'
import { imported } from './files/imported.ts'

interface Props {
  readonly filter: string
  readonly onFilter: (filter: string) => void
  readonly records: readonly WireRecord[]
  /** How many the filter lets through. */
  readonly shown: number
  /** How many there are, also when the older ones are not here yet. */
  readonly all: number
  /** What was there when the user paused. */
  readonly frozen: WireState | undefined
  readonly onFreeze: (state: WireState | undefined) => void
  readonly view: string
  readonly onView: (view: string) => void
}

export function WireBar({ filter, onFilter, records, shown, all, frozen, onFreeze, view, onView }: Props) {
  const isRecording = useStore(recording)
  const file = useStore(imported)
  const completions = useMemo(() => completeFilter(filter, records), [filter, records])
  return (
    <Bar>
      <SearchField
        label="Filter exchanges"
        placeholder="Filter: tool:search status:error >500ms client:x -method:ping"
        value={filter}
        onChange={onFilter}
        list={completions}
      />
      <Select
        label="View"
        value={view}
        onChange={onView}
        options={[
          ['table', 'Table'],
          ['timeline', 'Timeline'],
        ]}
      />
      {file ? (
        <Button onClick={() => imported.set(undefined)}>Leave {file.file}</Button>
      ) : (
        <>
          <FreezeButton frozen={frozen} onFreeze={onFreeze} />
          <May use="wireDetail">
            <Check
              label="Record messages"
              checked={isRecording}
              onChange={(checked) => recording.set(checked)}
            />
          </May>
        </>
      )}
      <Count>
        {formatCount(shown)} of {formatCount(all)}
      </Count>
    </Bar>
  )
}

function FreezeButton({ frozen, onFreeze }: Pick<Props, 'frozen' | 'onFreeze'>) {
  const live = useStore(wireStore)
  // Not the difference of lengths: the list has a limit, and stops growing there.
  const lastSeen = frozen?.records[0]
  const waiting = frozen
    ? live.records.filter((record) => !lastSeen || newerFirst(record, lastSeen) < 0).length
    : 0
  return (
    <Button icon={frozen ? Play : Pause} onClick={() => onFreeze(frozen ? undefined : live)}>
      {frozen ? `Go on${waiting > 0 ? ` (${formatCount(waiting)} new)` : ''}` : 'Pause'}
    </Button>
  )
}

export function WireActions({ filter, isImported }: { filter: string; isImported: boolean }) {
  const may = useMay()
  if (isImported || !may('wireExport')) return <ImportButton />
  return (
    <>
      <ImportButton />
      <ExportButton filter={filter} />
      <ExportButton filter={filter} format="har" />
      <Button icon={Trash2} onClick={() => void clearWire().catch(notifyError)}>
        Clear
      </Button>
    </>
  )
}
