import { escapeControls, type WireRecord } from '../../api/contract.ts'
import { formatBytes, formatTime } from '../../ui/text/format.ts'
import type { Column } from '../../ui/table/column.ts'
import { WireStatusBadge } from './status.tsx'

export const COLUMNS: readonly Column<WireRecord>[] = [
  {
    id: 'time',
    title: 'Time',
    width: '6rem',
    isNumber: true,
    sortBy: ({ at }) => at,
    cell: ({ at }) => <time>{formatTime(at)}</time>,
  },
  {
    id: 'client',
    title: 'Client',
    width: 'minmax(5.5rem, 1fr)',
    sortBy: clientOf,
    cell: (record) => <span>{clientOf(record)}</span>,
  },
  {
    id: 'target',
    title: 'Target',
    width: 'minmax(5.5rem, 1fr)',
    sortBy: ({ target }) => target,
    cell: ({ target }) => <span>{target ?? 'gateway'}</span>,
  },
  {
    id: 'tool',
    title: 'Tool',
    width: 'minmax(8rem, 2.2fr)',
    narrow: 'main',
    sortBy: nameOf,
    cell: (record) => <code title={record.error}>{nameOf(record)}</code>,
  },
  {
    id: 'status',
    title: 'Status',
    width: '8.8rem',
    narrow: 'aside',
    sortBy: ({ status }) => status,
    cell: ({ status }) => <WireStatusBadge status={status} />,
  },
  {
    id: 'duration',
    title: 'Total ms',
    width: '5.6rem',
    isNumber: true,
    sortBy: ({ duration }) => duration,
    cell: ({ duration }) => milliseconds(duration),
  },
  {
    id: 'gateway',
    title: 'Gateway ms',
    width: '6.2rem',
    isNumber: true,
    sortBy: gatewayMs,
    cell: (record) => milliseconds(gatewayMs(record)),
  },
  {
    id: 'target-ms',
    title: 'Target ms',
    width: '5.8rem',
    isNumber: true,
    sortBy: ({ targetDuration }) => targetDuration,
    cell: ({ targetDuration }) => milliseconds(targetDuration),
  },
  {
    id: 'bytes',
    title: 'Bytes',
    width: '5rem',
    isNumber: true,
    sortBy: ({ bytes }) => bytes,
    cell: ({ bytes }) => formatBytes(bytes),
  },
]

export function nameOf({ name, method }: WireRecord): string {
  return escapeControls(name ?? method)
}

/** As clients call themselves, with all signs in sight: some turn a text around, and make a name look like another. */
export function clientOf({ client, status }: WireRecord): string {
  return escapeControls(client.name ?? (status === 'refused' ? '–' : 'client'))
}

/** What is not the target's: the gateway's own work, and waiting for a turn or for the caller. */
export function gatewayMs({ method, duration, targetDuration = 0 }: WireRecord): number | undefined {
  // A subscription lasts as long as its client wants.
  if (duration === undefined || method === 'subscriptions/listen') return undefined
  return Math.max(duration - targetDuration, 0)
}

const precise = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })
const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })

export function milliseconds(value: number | undefined): string {
  if (value === undefined) return '–'
  return (value < 100 ? precise : whole).format(value)
}
