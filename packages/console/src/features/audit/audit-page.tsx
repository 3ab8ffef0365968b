import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useEffect, useMemo, useState } from 'react'
import type { AuditEntry } from '../../api/contract.ts'
import { following } from '../../api/live.ts'
import { auditQuery, overviewQuery, type AuditAsked } from '../../api/queries.ts'
import { writeJson } from '../../api/json.ts'
import { Bar, Rest } from '../../ui/layout/bar.tsx'
import { Dialog } from '../../ui/layout/dialog.tsx'
import { Empty } from '../../ui/signs/empty.tsx'
import { Check, SearchField, Select } from '../../ui/controls/fields.tsx'
import { plural } from '../../ui/text/format.ts'
import { JsonTree } from '../../ui/text/json-tree.tsx'
import { Failure, Notice } from '../../ui/signs/notice.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { Skeleton } from '../../ui/signs/skeleton.tsx'
import { Table } from '../../ui/table/table.tsx'
import { useSettled } from '../../ui/hooks/use-settled.ts'
import { byOf, COLUMNS } from './audit-columns.tsx'
import { useChainCheck } from './chain-check.tsx'

const route = getRouteApi('/audit')

const HOUR = 3_600_000
const AGES: Readonly<Record<string, number>> = { hour: HOUR, day: 24 * HOUR, week: 7 * 24 * HOUR }

/** Who did what: searches the trail, follows it, and says whether it was touched. */
export function AuditPage() {
  const { who = '', text = '', target = '', outcome = '', since = '' } = route.useSearch()
  const navigate = route.useNavigate()
  const set = (change: Record<string, string>) =>
    navigate({ search: (old) => ({ ...old, ...change }), replace: true })
  const from = useMemo(() => (AGES[since] === undefined ? '' : Date.now() - AGES[since]), [since])
  const asked = useSettled(given({ who, text, target, outcome, since: from }))
  const { data, error } = useQuery(auditQuery(asked))
  const { data: overview } = useQuery(overviewQuery)
  const [follows, setFollows] = useState(true)
  const [open, setOpen] = useState<AuditEntry>()
  const isOn = data?.isOn === true
  useEffect(() => {
    following.set(isOn && follows)
    return () => following.set(false)
  }, [isOn, follows])
  const chain = useChainCheck()
  const targets = overview?.targets.map(({ name }) => [name, name] as const) ?? []
  return (
    <Page
      title="Audit"
      lead="Who did what: every call with its caller, rule and outcome, and every change."
      fill
      actions={isOn && chain.button}
    >
      {error && <Failure error={error} />}
      {!data && !error && <Skeleton lines={8} />}
      {data && !isOn && (
        <Empty title="No audit trail is kept" action={<Link to="/configuration">The configuration</Link>}>
          Add <code>"audit": {'{}'}</code> to it, and start the gateway again.
        </Empty>
      )}
      {isOn && (
        <>
          {chain.result}
          {data.failure && <Notice tone="bad" title={`Nothing can be written now: ${data.failure}`} />}
          {data.lost > 0 && <Notice tone="warn" title={`${plural(data.lost, 'event')} could not be kept`} />}
          <Bar>
            <SearchField label="Find in the events" value={text} onChange={(next) => set({ text: next })} />
            <SearchField label="Who" value={who} onChange={(next) => set({ who: next })} />
            <Select
              label="Target"
              value={target}
              onChange={(next) => set({ target: next })}
              options={[['', 'All targets'], ...targets]}
            />
            <Select
              label="Outcome"
              value={outcome}
              onChange={(next) => set({ outcome: next })}
              options={OUTCOMES}
            />
            <Select label="Since" value={since} onChange={(next) => set({ since: next })} options={TIMES} />
            <Check label="Follow" checked={follows} onChange={setFollows} />
          </Bar>
          {data.events.length === 0 && <Empty title="No event is like this">Search for less.</Empty>}
          {data.events.length > 0 && (
            <Rest>
              <Table
                label="Audit events"
                rows={data.events}
                columns={COLUMNS}
                keyOf={({ id }) => id}
                viewKey={writeJson(asked)}
                onOpen={setOpen}
                fill
              />
            </Rest>
          )}
        </>
      )}
      {open && <Event event={open} onClose={() => setOpen(undefined)} />}
    </Page>
  )
}

const OUTCOMES = [
  ['', 'All outcomes'],
  ['allowed', 'Allowed'],
  ['denied', 'Denied'],
  ['ok', 'Ended well'],
  ['tool-error', 'The tool failed'],
  ['error', 'Failed'],
] as const

const TIMES = [
  ['', 'All times'],
  ['hour', 'Last hour'],
  ['day', 'Last day'],
  ['week', 'Last week'],
] as const

/** Without what is empty. */
function given(fields: Record<string, string | number>): AuditAsked {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''))
}

function Event({ event, onClose }: { event: AuditEntry; onClose: () => void }) {
  return (
    <Dialog open wide title={`${event.operation} by ${byOf(event)}`} onClose={onClose}>
      {event.detail !== undefined && <p>{event.detail}</p>}
      <JsonTree value={event.event} open={3} />
    </Dialog>
  )
}
