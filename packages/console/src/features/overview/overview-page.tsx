import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import type { Overview } from '../../api/contract.ts'
import { overviewQuery } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Empty } from '../../ui/empty.tsx'
import { formatBytes, formatCount, formatDuration, formatPercent } from '../../ui/format.ts'
import { Failure } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { Rich } from '../../ui/rich.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { TrafficChart } from '../../ui/traffic-chart.tsx'
import { Connect } from './connect.tsx'
import styles from './overview-page.module.css'
import { TargetCardView } from './target-card.tsx'

const DEMO =
  'A demonstration, made in memory: nothing is saved. `gantry init` makes a configuration of your own.'

export function OverviewPage() {
  const { data, error } = useQuery(overviewQuery)
  const navigate = useNavigate()
  const add = (
    <Button tone="primary" icon={Plus} onClick={() => navigate({ to: '/add-target' })}>
      Add target
    </Button>
  )
  return (
    <Page title="Overview" lead={data && (data.gateway.configFile ?? <Rich text={DEMO} />)} actions={add}>
      {error && <Failure error={error} />}
      {!data && !error && <Skeleton lines={5} height="5rem" />}
      {data && <Content overview={data} />}
    </Page>
  )
}

function Content({ overview }: { overview: Overview }) {
  return (
    <>
      <Figures overview={overview} />
      <div className={styles.top}>
        <Card title="Connect a client">
          <Connect endpoint={overview.endpoint} snippets={overview.snippets} />
        </Card>
        <Card title="Traffic, last ten minutes" actions={<Link to="/wire">Open the wire</Link>}>
          <TrafficChart traffic={overview.total.traffic} height={150} />
        </Card>
      </div>
      <section aria-label="Targets">
        {overview.targets.length === 0 ? (
          <Card>
            <Empty title="No targets yet" action={<Link to="/add-target">Add the first one</Link>}>
              A target is an MCP server behind this gateway: a command, a URL or an OpenAPI description. Paste
              one, or the <code>mcpServers</code> part of a client’s settings.
            </Empty>
          </Card>
        ) : (
          <ul className={styles.cards}>
            {overview.targets.map((card) => (
              <li key={card.name}>
                <TargetCardView card={card} />
              </li>
            ))}
          </ul>
        )}
      </section>
    </>
  )
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
