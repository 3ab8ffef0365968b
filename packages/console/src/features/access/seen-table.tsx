import { useQuery } from '@tanstack/react-query'
import { useMemo, type ReactNode } from 'react'
import type { AskSeen, EntryKind, SeenEntry } from '../../api/contract.ts'
import { seenQuery } from '../../api/queries.ts'
import { Bar, Count } from '../../ui/layout/bar.tsx'
import { Badge, KindBadge } from '../../ui/signs/badge.tsx'
import { Empty } from '../../ui/signs/empty.tsx'
import { SearchField, Select } from '../../ui/controls/fields.tsx'
import { formatCount } from '../../ui/text/format.ts'
import { Failure, Notice } from '../../ui/signs/notice.tsx'
import { Skeleton } from '../../ui/signs/skeleton.tsx'
import type { Column } from '../../ui/table/column.ts'
import { Table } from '../../ui/table/table.tsx'
import styles from './access.module.css'
import { SeenDetail } from './seen-detail.tsx'

export interface Shown {
  readonly q: string
  readonly show: string
  /** The key of the entry that is open. */
  readonly entry: string
}

interface Props {
  readonly ask: AskSeen
  readonly shown: Shown
  readonly onShow: (change: { q?: string; show?: string; entry?: string }) => void
  /** No caller is meant: whether one may use it is not said. */
  readonly isForAnybody?: boolean
  /** Beside the definitions of the open entry. */
  readonly beside?: (entry: SeenEntry) => ReactNode
}

export const keyOf = ({ kind, target, own }: Pick<SeenEntry, 'kind' | 'target' | 'own'>): string =>
  `${kind} ${target} ${own}`

/** What a model gets to read, with what it costs, beside what the targets have. */
export function SeenTable({ ask, shown: { q, show, entry }, onShow, isForAnybody, beside }: Props) {
  const { data, error } = useQuery(seenQuery(ask))
  const wanted = q.toLowerCase()
  const isSeen = show === '' || show === 'seen'
  const rows = useMemo(
    () =>
      data?.entries.filter(
        ({ key, own, target }) =>
          (show === 'all' || (key !== undefined) === isSeen) &&
          `${key ?? ''} ${target}/${own}`.toLowerCase().includes(wanted),
      ),
    [data, show, isSeen, wanted],
  )
  if (error) return <Failure error={error} />
  if (!data || !rows) return <Skeleton lines={6} />
  const seen = data.entries.filter(({ key }) => key !== undefined)
  const open = data.entries.find((one) => keyOf(one) === entry)
  return (
    <>
      {data.problems.length > 0 && <Notice tone="bad" title={data.problems.join(' ')} />}
      {!data.mayUse && !isForAnybody && data.problems.length === 0 && (
        <Notice tone="warn" title="The view does not exist for this caller: it is answered with 404." />
      )}
      <p role="status">
        <b>{formatCount(seen.length)}</b> of {formatCount(data.entries.length)} are seen, for{' '}
        <b>~{formatCount(sum(seen, 'tokens'))} tokens</b>; all definitions of the targets cost ~
        {formatCount(sum(data.entries, 'ownTokens'))}.
      </p>
      {data.instructions !== undefined && (
        <details>
          <summary>Instructions for the model</summary>
          <p className={styles.instructions}>{data.instructions}</p>
        </details>
      )}
      <Bar>
        <SearchField label="Find an entry" value={q} onChange={(text) => onShow({ q: text })} />
        <Select
          label="Entries"
          value={isSeen ? 'seen' : show}
          onChange={(value) => onShow({ show: value })}
          options={[
            ['seen', 'Seen'],
            ['hidden', 'Kept from it'],
            ['all', 'All'],
          ]}
        />
        <Count>{formatCount(rows.length)}</Count>
      </Bar>
      {rows.length === 0 ? (
        <Empty title={isSeen ? 'It sees nothing of this' : 'Nothing of this is kept from it'} />
      ) : (
        <Table
          label="Entries"
          rows={rows}
          columns={COLUMNS}
          keyOf={keyOf}
          selected={open ? [keyOf(open)] : []}
          onOpen={(row) => onShow({ entry: keyOf(row) === entry ? '' : keyOf(row) })}
          viewKey={`${q} ${show}`}
        />
      )}
      {open && (
        <SeenDetail
          key={keyOf(open)}
          ask={{ ...ask, entry: { kind: open.kind as EntryKind, target: open.target, own: open.own } }}
          entry={open}
          onClose={() => onShow({ entry: '' })}
        >
          {beside?.(open)}
        </SeenDetail>
      )}
    </>
  )
}

function sum(entries: readonly SeenEntry[], of: 'tokens' | 'ownTokens'): number {
  return entries.reduce((total, one) => total + one[of], 0)
}

const HIDDEN = { configuration: 'the configuration', view: 'not in the view', policy: 'policy' }

const COLUMNS: readonly Column<SeenEntry>[] = [
  {
    id: 'name',
    title: 'As it is seen',
    width: 'minmax(10rem, 2fr)',
    narrow: 'main',
    sortBy: ({ key, own }) => key ?? own,
    cell: ({ key, hiddenBy, rule }) =>
      key === undefined ? (
        <Badge tone="warn" title={rule}>
          {rule === undefined ? HIDDEN[hiddenBy ?? 'configuration'] : `rule “${rule}”`}
        </Badge>
      ) : (
        <code>{key}</code>
      ),
  },
  {
    id: 'kind',
    title: 'Kind',
    width: '6.5rem',
    narrow: 'aside',
    sortBy: ({ kind }) => kind,
    cell: ({ kind }) => <KindBadge kind={kind} />,
  },
  {
    id: 'own',
    title: 'At the target',
    width: 'minmax(9rem, 2fr)',
    sortBy: ({ target, own }) => `${target}/${own}`,
    cell: ({ target, own }) => (
      <code>
        {target}/{own}
      </code>
    ),
  },
  {
    id: 'tokens',
    title: 'Tokens',
    width: '6rem',
    isNumber: true,
    sortBy: ({ tokens }) => tokens,
    cell: ({ key, tokens }) => (key === undefined ? '–' : formatCount(tokens)),
  },
  {
    id: 'own-tokens',
    title: 'Own tokens',
    width: '7rem',
    isNumber: true,
    sortBy: ({ ownTokens }) => ownTokens,
    cell: ({ ownTokens }) => formatCount(ownTokens),
  },
]
