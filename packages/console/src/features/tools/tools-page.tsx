import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { UsagePer, UsageRange } from '../../api/contract.ts'
import { briefCatalogQuery, toolsQuery } from '../../api/queries.ts'
import { Bar, Count, Rest } from '../../ui/layout/bar.tsx'
import { Empty } from '../../ui/signs/empty.tsx'
import { SearchField, Select } from '../../ui/controls/fields.tsx'
import { formatCount } from '../../ui/text/format.ts'
import { Failure } from '../../ui/signs/notice.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { Skeleton } from '../../ui/signs/skeleton.tsx'
import { readSort, writeSort } from '../../ui/table/sort-rows.ts'
import { Table } from '../../ui/table/table.tsx'
import { columnsFor, toRows, type ToolRow } from './tool-rows.tsx'

const route = getRouteApi('/tools')

const RANGES: readonly (readonly [UsageRange, string])[] = [
  ['1h', 'Last hour'],
  ['24h', 'Last day'],
  ['7d', 'Last week'],
]
const PARTS: readonly (readonly [UsagePer, string])[] = [
  ['tool', 'All callers together'],
  ['client', 'By client'],
  ['principal', 'By person or key'],
]

const SHOWN: Record<string, (row: ToolRow) => boolean> = {
  all: () => true,
  used: ({ calls }) => calls > 0,
  failing: ({ errors }) => errors > 0,
  unused: ({ calls }) => calls === 0,
}

/** Which tools are used, how long they take and how often they fail. */
export function ToolsPage() {
  const { q = '', show = 'all', sort = '-calls', ...search } = route.useSearch()
  const range = RANGES.find(([id]) => id === search.range)?.[0] ?? '24h'
  const per = PARTS.find(([id]) => id === search.per)?.[0] ?? 'tool'
  const setSearch = route.useNavigate()
  const navigate = useNavigate()
  const tools = useQuery(toolsQuery(range, per))
  const catalog = useQuery(briefCatalogQuery)
  const rows = useMemo(
    () => (tools.data && catalog.data ? toRows(tools.data.tools, catalog.data.entries) : undefined),
    [tools.data, catalog.data],
  )
  const shown = useMemo(() => {
    const wanted = q.toLowerCase()
    return rows?.filter((row) => (SHOWN[show] ?? SHOWN.all!)(row) && row.key.toLowerCase().includes(wanted))
  }, [rows, q, show])
  const order = useMemo(() => readSort(sort), [sort])
  const set = (change: { q?: string; show?: string; sort?: string; range?: string; per?: string }) =>
    setSearch({ search: (old) => ({ ...old, ...change }), replace: true })
  const error = tools.error ?? catalog.error
  return (
    <Page title="Tools" lead="Calls, failures, times and sizes of every tool." fill>
      <Bar>
        <SearchField label="Find a tool" value={q} onChange={(text) => set({ q: text })} />
        <Select
          label="Tools"
          value={show}
          onChange={(value) => set({ show: value })}
          options={[
            ['all', 'All tools'],
            ['used', 'Used'],
            ['failing', 'With failures'],
            ['unused', 'Never used'],
          ]}
        />
        <Select label="Range" value={range} onChange={(id) => set({ range: id })} options={RANGES} />
        <Select label="Callers" value={per} onChange={(id) => set({ per: id })} options={PARTS} />
        <Count>
          {formatCount(shown?.length ?? 0)} of {formatCount(rows?.length ?? 0)}
        </Count>
      </Bar>
      {error && <Failure error={error} />}
      {!rows && !error && <Skeleton lines={8} />}
      {shown?.length === 0 && (
        <Empty title="No tool matches" action={<Link to="/catalog">What there is</Link>}>
          Tools show here as soon as a target offers them.
        </Empty>
      )}
      {shown && shown.length > 0 && (
        <Rest>
          <Table
            label="Tools"
            rows={shown}
            columns={columnsFor(per)}
            keyOf={({ target, name, client, principal }) => [target, name, client, principal].join(' ')}
            sort={order}
            onSort={(next) => set({ sort: writeSort(next) })}
            viewKey={`${q} ${show} ${range} ${per}`}
            onOpen={(row) =>
              navigate({ to: '/wire', search: { filter: `tool:${row.key} target:${row.target}` } })
            }
            fill
          />
        </Rest>
      )}
    </Page>
  )
}
