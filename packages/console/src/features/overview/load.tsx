import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { LoadRange, Overview, TrafficBucket } from '../../api/contract.ts'
import { loadQuery, queryClient } from '../../api/queries.ts'
import { Card } from '../../ui/layout/card.tsx'
import { Select } from '../../ui/controls/fields.tsx'
import { plural } from '../../ui/text/format.ts'
import { quoted } from '../target/quoted.ts'
import { describe, LoadChart } from './load-chart.tsx'
import styles from './load.module.css'
import { LoadTable } from './load-table.tsx'

const route = getRouteApi('/')
const RANGES: readonly (readonly [LoadRange, string])[] = [
  ['10m', 'Last ten minutes'],
  ['1h', 'Last hour'],
  ['24h', 'Last day'],
]
/** Longer ranges are asked for again after new calls, at most this often. */
const ASKED_EVERY = 15_000

/** How busy the gateway is: over time, and by target. Everything leads to the calls behind it. */
export function Load({ overview }: { overview: Overview }) {
  const search = route.useSearch()
  const navigate = useNavigate()
  const range = RANGES.find(([id]) => id === search.range)?.[0] ?? '10m'
  const target = overview.targets.find(({ name }) => name === search.target)?.name
  const buckets = useBuckets(overview, range, target)
  const [at, setAt] = useState<number>()
  const index = buckets.findIndex((bucket) => bucket.at === at)
  const chosen = index === -1 ? undefined : buckets[index]
  const span = buckets.length > 1 ? buckets[1]!.at - buckets[0]!.at : 0
  const set = (change: { range?: string; target?: string }) =>
    navigate({ to: '/', search: { ...search, ...change }, replace: true, resetScroll: false })
  return (
    <div className={styles.load}>
      <Card
        title="Load"
        actions={
          <>
            <Select
              label="Target"
              value={target ?? ''}
              onChange={(name) => set({ target: name })}
              options={[['', 'All targets'], ...overview.targets.map(({ name }) => [name, name] as const)]}
            />
            <Select label="Range" value={range} onChange={(id) => set({ range: id })} options={RANGES} />
          </>
        }
      >
        <div className={styles.box}>
          <LoadChart
            buckets={buckets}
            selected={chosen && index}
            onSelect={(to) => setAt(buckets[to]?.at)}
            onOpen={() => void navigate({ to: '/wire', search: { filter: filterOf(target, chosen, span) } })}
          />
          <p className={styles.moment} role="status">
            <span>{chosen ? describe(chosen) : summary(buckets)}</span>
            <Link to="/wire" search={{ filter: filterOf(target, chosen, span) }}>
              Show these calls
            </Link>
            <Link
              to="/wire"
              search={{ filter: `${filterOf(target, chosen, span)} status:error,tool-error`.trim() }}
            >
              Only the failed
            </Link>
          </p>
        </div>
      </Card>
      <LoadTable targets={overview.targets} selected={target} onSelect={(name) => set({ target: name })} />
    </div>
  )
}

function useBuckets(
  overview: Overview,
  range: LoadRange,
  target: string | undefined,
): readonly TrafficBucket[] {
  const card = overview.targets.find(({ name }) => name === target)
  const { calls, traffic } = card?.stats ?? overview.total
  const { data, dataUpdatedAt } = useQuery({ ...loadQuery(range, target), enabled: range !== '10m' })
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked again after new calls only
  useEffect(() => {
    const isOld = Date.now() - dataUpdatedAt > ASKED_EVERY
    if (range !== '10m' && isOld) void queryClient.invalidateQueries({ queryKey: ['load'] })
  }, [calls])
  return range === '10m' ? traffic : (data?.buckets ?? [])
}

function filterOf(target: string | undefined, moment: TrafficBucket | undefined, span: number): string {
  const parts = [
    target === undefined ? '' : `target:${quoted(target)}`,
    moment ? `since:${toIso(moment.at)} until:${toIso(moment.at + span)}` : '',
  ]
  return parts.filter((part) => part !== '').join(' ')
}

function toIso(at: number): string {
  return new Date(at).toISOString().replace('.000Z', 'Z')
}

function summary(buckets: readonly TrafficBucket[]): string {
  const calls = buckets.reduce((sum, bucket) => sum + bucket.calls, 0)
  const errors = buckets.reduce((sum, bucket) => sum + bucket.errors, 0)
  return calls === 0 ? 'No calls in this time' : `${plural(calls, 'call')}, ${errors} failed`
}
