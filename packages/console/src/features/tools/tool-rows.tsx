import type { CatalogEntry, ToolFigures, UsagePer } from '../../api/contract.ts'
import { Badge } from '../../ui/signs/badge.tsx'
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatPercent,
  formatRoughly,
} from '../../ui/text/format.ts'
import type { Column } from '../../ui/table/column.ts'
import { Ago } from '../../ui/text/time.tsx'

type Counted = 'target' | 'client' | 'principal' | 'calls' | 'errors' | 'bytesOut' | 'tokensIn' | 'tokensOut'

export interface ToolRow extends Pick<ToolFigures, Counted> {
  readonly name: string
  /** As clients name it. */
  readonly key: string
  readonly p50: number | undefined
  readonly p95: number | undefined
  readonly lastAt: number | undefined
  /** It was called, and its target does not offer it now. */
  readonly isGone: boolean
}

/** Every use of a tool, and every tool that was not used. */
export function toRows(figures: readonly ToolFigures[], entries: readonly CatalogEntry[]): ToolRow[] {
  const offered = new Map(
    entries
      .filter(({ kind }) => kind === 'tool')
      .map(({ target, own, key }) => [`${target}\n${own}`, { target, name: own, key }]),
  )
  const used = figures.map((one): ToolRow => {
    const known = offered.get(`${one.target}\n${one.name}`)
    const name = one.name ?? 'other tools'
    return { ...one, name, key: known?.key ?? name, isGone: one.name !== undefined && !known }
  })
  const usedNames = new Set(figures.map((one) => `${one.target}\n${one.name}`))
  const unused = [...offered].filter(([id]) => !usedNames.has(id))
  return [...used, ...unused.map(([, tool]): ToolRow => ({ ...UNUSED, ...tool, isGone: false }))]
}

const UNUSED = {
  calls: 0,
  errors: 0,
  bytesOut: 0,
  tokensIn: 0,
  tokensOut: 0,
  p50: undefined,
  p95: undefined,
  lastAt: undefined,
}

/** Who called, where callers are told apart. */
const CALLER: Column<ToolRow> = {
  id: 'caller',
  title: 'Caller',
  sortBy: ({ client, principal }) => client ?? principal ?? '',
  cell: ({ client, principal, calls }) => client ?? principal ?? (calls > 0 ? 'unknown' : ''),
}

export function columnsFor(per: UsagePer): readonly Column<ToolRow>[] {
  const [tool, target, ...rest] = COLUMNS
  return per === 'tool' ? COLUMNS : [tool!, target!, CALLER, ...rest]
}

const COLUMNS: readonly Column<ToolRow>[] = [
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
    width: 'minmax(5.5rem, 1fr)',
    sortBy: ({ target }) => target,
    cell: ({ target }) => <span>{target}</span>,
  },
  {
    id: 'calls',
    title: 'Calls',
    width: '5rem',
    narrow: 'aside',
    isNumber: true,
    sortBy: ({ calls }) => calls,
    cell: ({ calls }) => formatCount(calls),
  },
  {
    id: 'errors',
    title: 'Errors',
    width: '7rem',
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
    width: '5rem',
    isNumber: true,
    sortBy: ({ p50 }) => p50,
    cell: ({ p50 }) => formatDuration(p50),
  },
  {
    id: 'p95',
    title: 'p95',
    width: '5rem',
    isNumber: true,
    sortBy: ({ p95 }) => p95,
    cell: ({ p95 }) => formatDuration(p95),
  },
  {
    id: 'bytes',
    title: 'Bytes',
    width: '5rem',
    isNumber: true,
    sortBy: ({ bytesOut }) => bytesOut,
    // Answers that are not counted have no bytes here.
    cell: ({ bytesOut }) => (bytesOut === 0 ? '–' : formatBytes(bytesOut)),
  },
  {
    id: 'tokens',
    title: '≈ Tokens',
    width: '10rem',
    isNumber: true,
    sortBy: ({ tokensIn, tokensOut }) => tokensIn + tokensOut,
    cell: ({ tokensIn, tokensOut }) => (
      <span
        title={`Estimated: ${formatCount(tokensIn)} of arguments in, ${formatCount(tokensOut)} of results out`}
      >
        {formatRoughly(tokensIn)} in, {formatRoughly(tokensOut)} out
      </span>
    ),
  },
  {
    id: 'last',
    title: 'Last used',
    width: '6.6rem',
    isNumber: true,
    sortBy: ({ lastAt }) => lastAt,
    cell: ({ lastAt }) => (lastAt === undefined ? 'never' : <Ago at={lastAt} />),
  },
]
