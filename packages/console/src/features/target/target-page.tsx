import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { AdminError, escapeControls } from '../../api/contract.ts'
import type { TargetCard, TargetDetail } from '../../api/contract.ts'
import { May, useMay } from '../../api/may.tsx'
import { overviewQuery, targetQuery } from '../../api/queries.ts'
import { Badge, EraBadge } from '../../ui/signs/badge.tsx'
import { Empty } from '../../ui/signs/empty.tsx'
import { formatBytes, formatCount, formatDuration, formatPercent, plural } from '../../ui/text/format.ts'
import { Explain, Failure, Notice } from '../../ui/signs/notice.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { Skeleton } from '../../ui/signs/skeleton.tsx'
import { isOff, StateBadge, StateWord } from '../../ui/signs/state.tsx'
import { Tabs, type Tab } from '../../ui/controls/tabs.tsx'
import { Ago, Until } from '../../ui/text/time.tsx'
import { concernOf, tenMinutesOf } from '../overview/attention.ts'
import { Capabilities } from './capabilities.tsx'
import { Handshake } from './handshake.tsx'
import { Now } from './now.tsx'
import { Processes } from './processes.tsx'
import { quoted } from './quoted.ts'
import { Stderr } from './stderr.tsx'
import { TargetActions } from './target-actions.tsx'
import styles from './target-page.module.css'

const route = getRouteApi('/targets/$name')

export function TargetPage() {
  const { name } = route.useParams()
  return useMay()('target') ? <WholeTarget name={name} /> : <ListedTarget name={name} />
}

function WholeTarget({ name }: { name: string }) {
  const { data, error } = useQuery(targetQuery(name))
  const isGone = error instanceof AdminError && error.problem.code === 'not_found'
  return isGone ? <Gone name={name} /> : <Shown name={name} card={data} detail={data} error={error} />
}

/** What lists say of a target: nothing that it prints, and not how it is started. */
function ListedTarget({ name }: { name: string }) {
  const { data, error } = useQuery(overviewQuery)
  const card = data?.targets.find((one) => one.name === name)
  if (data && !card) return <Gone name={name} />
  return <Shown name={name} card={card} detail={undefined} error={error} />
}

interface ShownProps {
  readonly name: string
  readonly card: TargetCard | undefined
  readonly detail: TargetDetail | undefined
  readonly error: Error | null
}

function Shown({ name, card, detail, error }: ShownProps) {
  const may = useMay()
  return (
    <Page
      title={
        <>
          {card?.title ?? name} {card && <StateBadge state={card.state} />}
        </>
      }
      name={name}
      lead={card?.what}
      actions={card && may('targetAction') && <TargetActions target={card} />}
    >
      {error && <Failure error={error} />}
      {!card && !error && <Skeleton lines={6} height="2.5rem" />}
      {card && <Content card={card} detail={detail} key={name} />}
    </Page>
  )
}

function Gone({ name }: { name: string }) {
  return (
    <Page title={name}>
      <Empty
        title={`There is no target “${name}”`}
        action={
          <May use="addTarget">
            <Link to="/add-target">Add a target</Link>
          </May>
        }
      >
        It may have been renamed or taken out of the configuration.{' '}
        <Link to="/why" search={{ name }}>
          Ask why
        </Link>
      </Empty>
    </Page>
  )
}

function Content({ card: target, detail }: { card: TargetCard; detail: TargetDetail | undefined }) {
  const { tab = 'now' } = route.useSearch()
  const { data: overview } = useQuery(overviewQuery)
  const concern = overview && concernOf(target, tenMinutesOf(overview))
  const navigate = route.useNavigate()
  // The step that failed says the same, in its place.
  const steps = detail?.instances[0]?.steps ?? []
  const isShownBelow =
    tab === 'handshake' && steps.some(({ problem }) => problem?.what === target.problem?.what)
  const now = <Now card={target} detail={detail} />
  return (
    <>
      <Facts target={target} />
      {target.problem && !isShownBelow && (
        <Explain problem={target.problem} tone={isOff(target.state) ? 'accent' : 'bad'} />
      )}
      {concern && !target.problem && <Notice tone="warn" title={concern.what} />}
      {target.retryAt !== undefined && (
        <p>
          The next try is <Until at={target.retryAt} />.
        </p>
      )}
      {detail ? (
        <Tabs
          label="About this target"
          tabs={[{ id: 'now', title: 'Now', content: () => now }, ...tabsOf(detail)]}
          value={tab}
          onChange={(id) => navigate({ search: { tab: id }, replace: true })}
        />
      ) : (
        now
      )}
    </>
  )
}

/** Not for those who only look. */
const TargetConfiguration = lazy(async () => {
  const { TargetConfiguration: Loaded } = await import('./target-configuration.tsx')
  return { default: Loaded }
})

function Configuration({ target }: { target: TargetDetail }) {
  return (
    <Suspense fallback={<Skeleton lines={6} />}>
      <TargetConfiguration target={target} />
    </Suspense>
  )
}

function tabsOf(target: TargetDetail): Tab[] {
  return [
    { id: 'handshake', title: 'Handshake', content: () => <Handshake target={target} /> },
    { id: 'stderr', title: 'Log (stderr)', content: () => <Stderr target={target} /> },
    { id: 'processes', title: 'Processes', content: () => <Processes target={target} /> },
    { id: 'capabilities', title: 'Capabilities', content: () => <Capabilities target={target} /> },
    { id: 'configuration', title: 'Configuration', content: () => <Configuration target={target} /> },
  ]
}

function Facts({ target }: { target: TargetCard }) {
  const { stats, counts, usage } = target
  return (
    <div className={styles.facts}>
      <EraBadge era={target.era} revision={target.revision} />
      <Badge>{target.transport ?? target.kind}</Badge>
      {target.serverInfo && (
        <Badge>
          {escapeControls(
            `${target.serverInfo.title ?? target.serverInfo.name} ${target.serverInfo.version}`,
          )}
        </Badge>
      )}
      <span>
        <StateWord state={target.state} /> {target.state !== 'disabled' && <Ago at={target.since} />}
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
          {formatBytes(usage.rss)} in {plural(usage.processes, 'process', 'processes')}
        </span>
      )}
    </div>
  )
}
