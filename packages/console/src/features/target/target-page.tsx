import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { AdminError } from '../../api/contract.ts'
import type { TargetDetail } from '../../api/contract.ts'
import { targetQuery } from '../../api/queries.ts'
import { Badge, EraBadge } from '../../ui/signs/badge.tsx'
import { Empty } from '../../ui/signs/empty.tsx'
import { formatBytes, formatCount, formatDuration, formatPercent, plural } from '../../ui/text/format.ts'
import { Explain, Failure } from '../../ui/signs/notice.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { Skeleton } from '../../ui/signs/skeleton.tsx'
import { isOff, StateBadge } from '../../ui/signs/state.tsx'
import { Tabs } from '../../ui/controls/tabs.tsx'
import { Ago, Until } from '../../ui/text/time.tsx'
import { Capabilities } from './capabilities.tsx'
import { Handshake } from './handshake.tsx'
import { Now } from './now.tsx'
import { Processes } from './processes.tsx'
import { quoted } from './quoted.ts'
import { Stderr } from './stderr.tsx'
import { TargetActions } from './target-actions.tsx'
import { TargetConfiguration } from './target-configuration.tsx'
import styles from './target-page.module.css'

const route = getRouteApi('/targets/$name')

export function TargetPage() {
  const { name } = route.useParams()
  const { data, error } = useQuery(targetQuery(name))
  if (error instanceof AdminError && error.problem.code === 'not_found') return <Gone name={name} />
  return (
    <Page
      title={
        <>
          {data?.title ?? name} {data && <StateBadge state={data.state} />}
        </>
      }
      name={name}
      lead={data?.what}
      actions={data && <TargetActions target={data} />}
    >
      {error && <Failure error={error} />}
      {!data && !error && <Skeleton lines={6} height="2.5rem" />}
      {data && <Content target={data} key={name} />}
    </Page>
  )
}

function Gone({ name }: { name: string }) {
  return (
    <Page title={name}>
      <Empty title={`There is no target “${name}”`} action={<Link to="/add-target">Add a target</Link>}>
        It may have been renamed or taken out of the configuration.{' '}
        <Link to="/why" search={{ name }}>
          Ask why
        </Link>
      </Empty>
    </Page>
  )
}

function Content({ target }: { target: TargetDetail }) {
  const { tab = 'now' } = route.useSearch()
  const navigate = route.useNavigate()
  // The step that failed says the same, in its place.
  const steps = target.instances[0]?.steps ?? []
  const isShownBelow =
    tab === 'handshake' && steps.some(({ problem }) => problem?.what === target.problem?.what)
  const tabs = [
    { id: 'now', title: 'Now', content: () => <Now target={target} /> },
    { id: 'handshake', title: 'Handshake', content: () => <Handshake target={target} /> },
    { id: 'stderr', title: 'Log (stderr)', content: () => <Stderr target={target} /> },
    { id: 'processes', title: 'Processes', content: () => <Processes target={target} /> },
    { id: 'capabilities', title: 'Capabilities', content: () => <Capabilities target={target} /> },
    { id: 'configuration', title: 'Configuration', content: () => <TargetConfiguration target={target} /> },
  ]
  return (
    <>
      <Facts target={target} />
      {target.problem && !isShownBelow && (
        <Explain problem={target.problem} tone={isOff(target.state) ? 'accent' : 'bad'} />
      )}
      {target.retryAt !== undefined && (
        <p>
          The next try is <Until at={target.retryAt} />.
        </p>
      )}
      <Tabs
        label="About this target"
        tabs={tabs}
        value={tab}
        onChange={(id) => navigate({ search: { tab: id }, replace: true })}
      />
    </>
  )
}

function Facts({ target }: { target: TargetDetail }) {
  const { stats, counts, usage } = target
  return (
    <div className={styles.facts}>
      <EraBadge era={target.era} revision={target.revision} />
      <Badge>{target.transport ?? target.kind}</Badge>
      {target.serverInfo && (
        <Badge>
          {target.serverInfo.title ?? target.serverInfo.name} {target.serverInfo.version}
        </Badge>
      )}
      <span>
        {target.state} {target.state !== 'disabled' && <Ago at={target.since} />}
      </span>
      <Link to="/catalog" search={{ target: target.name }}>
        {plural(counts.tools, 'tool')}, ~{formatCount(counts.tokens)} tokens
      </Link>
      <Link to="/wire" search={{ filter: `target:${quoted(target.name)}` }}>
        {plural(stats.calls, 'call')}
        {stats.errorRate !== undefined && `, ${formatPercent(stats.errorRate)} failed`}
      </Link>
      <span>
        p50 {formatDuration(stats.p50)}, p95 {formatDuration(stats.p95)}
      </span>
      <span>{plural(target.restarts, 'restart')}</span>
      {usage && (
        <span>
          {formatBytes(usage.rss)} in {plural(usage.processes, 'process').replace('processs', 'processes')}
        </span>
      )}
    </div>
  )
}
