import { useVirtualizer } from '@tanstack/react-virtual'
import { useRef, type KeyboardEvent } from 'react'
import type { WireRecord } from '../../api/contract.ts'
import { formatDuration, formatTime } from '../../ui/format.ts'
import styles from './exchange-list.module.css'
import { WireStatusBadge } from './status.tsx'

interface Props {
  readonly records: readonly WireRecord[]
  readonly selected: number | undefined
  readonly onSelect: (id: number) => void
}

export function ExchangeList({ records, selected, onSelect }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: records.length,
    getScrollElement: () => box.current,
    estimateSize: () => 46,
    overscan: 15,
    getItemKey: (index) => records[index]!.id,
  })
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const current = records.findIndex(({ id }) => id === selected)
    const next = Math.min(Math.max(current + step, 0), records.length - 1)
    virtual.scrollToIndex(next)
    onSelect(records[next]!.id)
  }
  return (
    <div ref={box} className={styles.box}>
      <ul style={{ height: virtual.getTotalSize() }} aria-label="Exchanges" onKeyDown={onKeyDown}>
        {virtual.getVirtualItems().map(({ index, start, size, key }) => {
          const record = records[index]!
          return (
            <li
              key={key}
              aria-posinset={index + 1}
              aria-setsize={records.length}
              style={{ height: size, translate: `0 ${start}px` }}
            >
              <button
                type="button"
                className={styles.row}
                aria-pressed={record.id === selected}
                onClick={() => onSelect(record.id)}
              >
                <Row record={record} />
              </button>
            </li>
          )
        })}
      </ul>
    </div>
  )
}

function Row({ record }: { record: WireRecord }) {
  return (
    <>
      <span className={styles.first}>
        <span className={styles.name}>{record.name ?? record.method}</span>
        <WireStatusBadge status={record.status} />
        <span className={styles.duration}>
          {record.duration === undefined ? '…' : formatDuration(record.duration)}
        </span>
      </span>
      <span className={styles.second}>
        <time>{formatTime(record.at)}</time>
        {record.name !== undefined && <span>{record.method}</span>}
        <span className={styles.route}>
          {record.client.name ?? 'client'} → {record.target ?? 'gateway'}
        </span>
        {record.error !== undefined && <span className={styles.error}>{record.error}</span>}
      </span>
    </>
  )
}
