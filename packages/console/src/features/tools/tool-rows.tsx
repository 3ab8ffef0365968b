import type { CatalogEntry, ToolFigures } from '../../api/contract.ts'
import { Badge } from '../../ui/badge.tsx'
import { formatBytes, formatCount, formatDuration, formatPercent } from '../../ui/format.ts'
import type { Column } from '../../ui/table/column.ts'
import { Ago } from '../../ui/time.tsx'

export interface ToolRow extends Pick<ToolFigures, 'target' | 'name' | 'calls' | 'errors' | 'bytes'> {
  /** As clients name it. */
  readonly key: string
  readonly p50: number | undefined
  readonly p95: number | undefined
  readonly lastAt: number | undefined
  /** It was called, and its target does not offer it now. */
  readonly isGone: boolean
}

/** Every tool that there is, and every one that was called. */
export function toRows(figures: readonly ToolFigures[], entries: readonly CatalogEntry[]): ToolRow[] {
  const used = new Map(figures.map((one) => [`${one.target}\n${one.name}`, one]))
  const offered = entries
    .filter(({ kind }) => kind === 'tool')
    .map(({ target, own, key }): ToolRow => {
      const known = used.get(`${target}\n${own}`)
      used.delete(`${target}\n${own}`)
      return { ...UNUSED, ...known, target, name: own, key, isGone: false }
    })
  const gone = [...used.values()].map((one): ToolRow => ({ ...one, key: one.name, isGone: true }))
  return [...offered, ...gone]
}

const UNUSED = { calls: 0, errors: 0, bytes: 0, p50: undefined, p95: undefined, lastAt: undefined }

export const COLUMNS: readonly Column<ToolRow>[] = [
  {
    id: 'tool',
    title: 'Tool',
    width: 'minmax(10rem, 2fr)',
    narrow: 'main',
    sortBy: ({ key }) => key,
    cell: ({ key, isGone }) => (
      <>
        <code>{key}</code>
        {isGone && <Badge tone="warn">gone</Badge>}
      </>
    ),
  },
  {
    id: 'target',
    title: 'Target',
    sortBy: ({ target }) => target,
    cell: ({ target }) => <span>{target}</span>,
  },
  {
    id: 'calls',
    title: 'Calls',
    width: '5.5rem',
    narrow: 'aside',
    isNumber: true,
    sortBy: ({ calls }) => calls,
    cell: ({ calls }) => formatCount(calls),
  },
  {
    id: 'errors',
    title: 'Errors',
    width: '8rem',
    isNumber: true,
    sortBy: ({ errors }) => errors,
    cell: ({ calls, errors }) =>
      errors === 0 ? (
        '0'
      ) : (
        <Badge tone="bad">{`${formatCount(errors)} (${formatPercent(errors / calls)})`}</Badge>
      ),
  },
  {
    id: 'p50',
    title: 'p50',
    width: '5.5rem',
    isNumber: true,
    sortBy: ({ p50 }) => p50,
    cell: ({ p50 }) => formatDuration(p50),
  },
  {
    id: 'p95',
    title: 'p95',
    width: '5.5rem',
    isNumber: true,
    sortBy: ({ p95 }) => p95,
    cell: ({ p95 }) => formatDuration(p95),
  },
  {
    id: 'bytes',
    title: 'Bytes',
    width: '5.5rem',
    isNumber: true,
    sortBy: ({ bytes }) => bytes,
    cell: ({ bytes }) => formatBytes(bytes),
  },
  {
    id: 'last',
    title: 'Last used',
    width: '7rem',
    isNumber: true,
    sortBy: ({ lastAt }) => lastAt,
    cell: ({ lastAt }) => (lastAt === undefined ? 'never' : <Ago at={lastAt} />),
  },
]
