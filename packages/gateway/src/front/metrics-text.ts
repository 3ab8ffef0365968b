import type { IncomingMessage } from 'node:http'
import type { Guard } from '@gantry/mcp/server'
import type { Gateway } from '../gateway.ts'
import { ADMIN_SCOPE, METRICS_SCOPE } from '../model/index.ts'
import { EventLoopDelay } from '../telemetry/event-loop-delay.ts'
import type { MetricsPage } from '../telemetry/prometheus/metrics-page.ts'

type Target = Gateway['targets'][number]

/** The parts of `/metrics` that its reader may see. */
export interface Shown {
  readonly targets: readonly Target[]
  readonly sessions: number
  /** Whether names of tools may be in them. */
  readonly tools: boolean
  /** Whether the reader takes OpenMetrics, which has exemplars. */
  readonly open: boolean
}

const delay = new EventLoopDelay()

/** The metrics of a gateway and of some of its targets, for Prometheus. */
export async function metricsOf(gateway: Gateway, shown: Shown): Promise<MetricsPage> {
  // Loaded with the first request for metrics.
  const { MetricsPage } = await import('../telemetry/prometheus/metrics-page.ts')
  const page = new MetricsPage(shown.open)
  addProcess(page, gateway)
  addRequests(page, gateway, shown)
  addTargets(page, gateway, shown.targets)
  await addProcesses(page, shown.targets)
  if (shown.tools && gateway.tracer) page.operations(gateway.tracer.durations)
  return page
}

function addProcess(page: MetricsPage, gateway: Gateway): void {
  const { user, system } = process.cpuUsage()
  page.gauge('gantry_info', 'The version that runs.', [[{ version: gateway.info.version }, 1]], 'first')
  page.single('gauge', 'process_resident_memory_bytes', 'Memory of this process.', process.memoryUsage.rss())
  page.single('counter', 'process_cpu_seconds_total', 'CPU time of this process.', (user + system) / 1e6)
  const started = Math.round(Date.now() / 1000 - process.uptime())
  page.single('gauge', 'process_start_time_seconds', 'When this process began.', started, 'min')
  page.gauge(
    'gantry_event_loop_delay_seconds',
    'How long work had to wait for this process since the last look.',
    Object.entries(delay.read()).map(([stat, seconds]) => [{ stat }, seconds]),
    'max',
  )
}

function addRequests(
  page: MetricsPage,
  { admission, model, store, exchanges }: Gateway,
  { sessions }: Shown,
): void {
  page.single('gauge', 'gantry_store_up', 'Whether the store can be reached.', store.away ? 0 : 1, 'min')
  const { limits } = model.server
  const streams = exchanges.running.filter(({ method }) => method === 'subscriptions/listen').length
  page.single('gauge', 'gantry_sessions', 'Sessions of legacy clients.', sessions)
  page.single('gauge', 'gantry_streams', 'Clients that listen for changes.', streams)
  page.single('gauge', 'gantry_requests_in_flight', 'Requests under way.', admission.inFlight)
  page.single('gauge', 'gantry_requests_queued', 'Requests that wait for their turn.', admission.waiting)
  const waiting = exchanges.waiting.list(Date.now() - limits.parkedFor).length
  page.single('gauge', 'gantry_calls_parked', 'Calls that wait for an answer of their client.', waiting)
  page.gauge('gantry_limit', 'The most that is allowed at a time.', [
    [{ of: 'requests_in_flight' }, limits.requestsInFlight],
    [{ of: 'sessions' }, limits.sessions],
    [{ of: 'parked_calls' }, limits.parkedCalls],
    [{ of: 'subscriptions' }, limits.subscriptions],
  ])
  const { calls } = exchanges.total.totals()
  page.single('counter', 'gantry_requests_total', 'Requests that were answered, of all clients.', calls)
  page.counter(
    'gantry_request_errors_total',
    'Answers that are errors, by their class.',
    exchanges.failures.all().map(([name, count]) => [{ class: name }, count]),
  )
}

/** Requests that the gateway answers by itself, mostly lists, have no target. */
function addTargets(page: MetricsPage, { catalog, exchanges }: Gateway, targets: readonly Target[]): void {
  const each = (value: (target: Target) => number): [{ target: string }, number][] =>
    targets.map((target) => [{ target: target.name }, value(target)])
  const sum = (value: (instance: Target['instances'][number]) => number): [{ target: string }, number][] =>
    each(({ instances }) => instances.reduce((all, one) => all + value(one), 0))
  page.gauge(
    'gantry_target_up',
    'Whether a target is ready; its state is a label.',
    targets.map(({ name, state }) => [{ target: name, state }, state === 'ready' ? 1 : 0]),
    'max',
  )
  page.gauge(
    'gantry_target_connections',
    'Connections to a target.',
    sum(({ connection }) => (connection ? 1 : 0)),
  )
  page.gauge(
    'gantry_target_requests_in_flight',
    'Requests that a target works on.',
    sum(({ slots }) => slots.used),
  )
  page.gauge(
    'gantry_target_requests_queued',
    'Requests that wait for a target.',
    sum(({ slots }) => slots.waiting),
  )
  page.gauge(
    'gantry_target_calls_parked',
    'Calls of a target that wait for a client.',
    sum(({ parked }) => parked),
  )
  page.gauge(
    'gantry_target_listeners',
    'Subscriptions at a target.',
    sum(({ listeners }) => listeners),
  )
  page.gauge(
    'gantry_target_failures',
    'Failures in a row; too many quarantine a target.',
    sum(({ failures }) => failures),
  )
  page.gauge(
    'gantry_target_catalog_age_seconds',
    'How old the lists of a target are.',
    targets.flatMap((target) => {
      const fetchedAt = catalog.of(target)?.snapshot?.fetchedAt
      return fetchedAt === undefined ? [] : [[{ target: target.name }, (Date.now() - fetchedAt) / 1000]]
    }),
  )
  page.counter(
    'gantry_target_restarts_total',
    'Starts of a target besides the first.',
    each(({ restarts }) => restarts),
  )
  const totals = targets.map(({ name }) => [{ target: name }, exchanges.statsOf(name).totals()] as const)
  page.counter(
    'gantry_target_requests_total',
    'Requests that a target answered.',
    totals.map(([labels, { calls }]) => [labels, calls]),
  )
  page.counter(
    'gantry_target_errors_total',
    'Answers that are errors, those of tools included.',
    totals.map(([labels, { errors }]) => [labels, errors]),
  )
  page.durations(
    'gantry_target_request_duration_seconds',
    'How long requests to a target took, questions to the user included.',
    totals,
  )
}

async function addProcesses(page: MetricsPage, targets: readonly Target[]): Promise<void> {
  const trees = await Promise.all(
    targets.map(async (target) => [{ target: target.name }, await treeOf(target)] as const),
  )
  const alive = trees.filter(([, tree]) => tree.length > 0)
  page.gauge(
    'gantry_target_processes',
    'Processes of a target, with those that it started.',
    alive.map(([labels, tree]) => [labels, tree.length]),
  )
  page.gauge(
    'gantry_target_memory_bytes',
    'Memory of the processes of a target.',
    alive.map(([labels, tree]) => [labels, tree.reduce((all, { rss }) => all + rss, 0)]),
  )
}

async function treeOf({ instances }: Target): Promise<readonly { readonly rss: number }[]> {
  const trees = instances.map(({ connection }) => connection?.process?.tree().catch(() => []) ?? [])
  return (await Promise.all(trees)).flat()
}

const SCOPES = [METRICS_SCOPE, ADMIN_SCOPE]

interface Refusal {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: string
}

/** Metrics tell what is behind a gateway. Where it has a guard, reading them takes a credential. */
export async function refuseScraper(
  request: IncomingMessage,
  guard: Guard | undefined,
): Promise<Refusal | undefined> {
  if (!guard) return undefined
  const headers = request.headers as Record<string, string | undefined>
  const verdict = await guard({ method: request.method ?? 'GET', url: request.url ?? '/', headers })
  if (!verdict.ok) return refusal(verdict.status, 'A key is needed', verdict.headers)
  if (verdict.auth?.scopes.some((scope) => SCOPES.includes(scope))) return undefined
  return refusal(403, `A key with the scope "${METRICS_SCOPE}" is needed`)
}

function refusal(status: number, text: string, headers: Record<string, string> = {}): Refusal {
  return { status, headers: { ...headers, 'content-type': 'text/plain' }, body: `${text}\n` }
}
