import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import type { Overview } from '../../api/contract.ts'
import { May, useMay } from '../../api/may.tsx'
import { overviewQuery } from '../../api/queries.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Card } from '../../ui/layout/card.tsx'
import { Empty } from '../../ui/signs/empty.tsx'
import { formatBytes, formatCount, formatDuration, formatPercent, plural } from '../../ui/text/format.ts'
import { Failure, Notice } from '../../ui/signs/notice.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { Rich } from '../../ui/text/rich.tsx'
import { Skeleton } from '../../ui/signs/skeleton.tsx'
import { Clock } from '../../ui/text/time.tsx'
import { isOff } from '../../ui/signs/state.tsx'
import { AttentionList } from './attention-list.tsx'
import { concernOf, tenMinutesOf } from './attention.ts'
import { ConnectCard } from './connect.tsx'
import { Load } from './load.tsx'
import styles from './overview-page.module.css'
import { TargetCardView } from './target-card.tsx'

const DEMO =
  'A demonstration, made in memory: nothing is saved. `gantry init` makes a configuration of your own.'

export function OverviewPage() {
  const { data, error } = useQuery(overviewQuery)
  const navigate = useNavigate()
  const may = useMay()
  const add = may('addTarget') && (
    <Button tone="primary" icon={Plus} onClick={() => navigate({ to: '/add-target' })}>
      Add target
    </Button>
  )
  return (
    <Page
      title="Overview"
      lead={data && (data.gateway.configFile ?? <Rich text={DEMO} />)}
      actions={add}
      wide
    >
      {error && <Failure error={error} />}
      {!data && !error && <Skeleton lines={5} height="5rem" />}
      {data?.store.away && <StoreAway away={data.store.away} />}
      {data && <Content overview={data} />}
    </Page>
  )
}

function StoreAway({ away }: { away: NonNullable<Overview['store']['away']> }) {
  return (
    <Notice tone="warn" title="The store cannot be reached">
      <p>
        Since <Clock at={away.since} />: {away.reason}. Calls go on; what needs the store fails until it is
        back. The gateway tries again by itself.
      </p>
    </Notice>
  )
}

function Content({ overview }: { overview: Overview }) {
  const { targets } = overview
  if (targets.length === 0) {
    return (
      <>
        <Card>
          <Empty
            title="No targets yet"
            action={
              <May use="addTarget">
                <Link to="/add-target">Add the first one</Link>
              </May>
            }
          >
            A target is an MCP server behind this gateway: a command, a URL or an OpenAPI description. Paste
            one, or the <code>mcpServers</code> part of a client’s settings.
          </Empty>
        </Card>
        <ConnectCard overview={overview} />
      </>
    )
  }
  const concerns = targets.flatMap((card) => concernOf(card, tenMinutesOf(overview)) ?? [])
  const concerned = new Set(concerns.map(({ card }) => card.name))
  const others = targets.filter(({ name }) => !concerned.has(name))
  return (
    <>
      {concerns.length > 0 && <AttentionList concerns={concerns} total={targets.length} />}
      <Figures overview={overview} />
      <Load overview={overview} />
      <ConnectCard overview={overview} />
      {others.length > 0 && (
        <section aria-label="Targets" className={styles.targets}>
          <h2>{titleOf(others)}</h2>
          <ul className={styles.cards}>
            {others.map((card) => (
              <li key={card.name}>
                <TargetCardView card={card} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}

function titleOf(targets: Overview['targets']): string {
  const off = targets.filter(({ state }) => isOff(state)).length
  const on = plural(targets.length - off, 'target')
  return `${on} without trouble${off === 0 ? '' : `, ${formatCount(off)} switched off`}`
}

function Figures({ overview: { total, counts, clients, inFlight, gateway } }: { overview: Overview }) {
  const figures: [string, string][] = [
    ['Calls', formatCount(total.calls)],
    ['Failed', formatPercent(total.errorRate)],
    ['p50', formatDuration(total.p50)],
    ['p95', formatDuration(total.p95)],
    ['In flight', formatCount(inFlight)],
    ['Clients', formatCount(clients)],
    ['Tools', formatCount(counts.tools)],
    ['Tokens of definitions', `~${formatCount(counts.tokens)}`],
    ...(gateway.processes ? [['Processes', formatCount(gateway.processes)] as [string, string]] : []),
    ['Gateway memory', formatBytes(gateway.memory.rss)],
  ]
  return (
    <dl className={styles.figures}>
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
