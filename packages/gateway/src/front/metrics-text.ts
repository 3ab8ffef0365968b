import type { Gateway } from '../gateway.ts'
import { DURATION_BOUNDS, type StatsTotals } from '../telemetry/stats.ts'
import type { IncomingMessage } from 'node:http'
import type { Guard } from '@gantry/mcp/server'
import { ADMIN_SCOPE, METRICS_SCOPE } from '../model/index.ts'

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

type Labels = Record<string, string>

type Target = Gateway['targets'][number]

/** The numbers of a gateway, and of these targets, in the text format of Prometheus. */
export function metricsText(gateway: Gateway, targets: readonly Target[], sessions: number): string {
  const text = new MetricsText()
  const { user, system } = process.cpuUsage()
  text.family('gantry_info', 'gauge', 'The version that runs.')
  text.sample('gantry_info', { version: gateway.info.version }, 1)
  text.single('gantry_sessions', 'gauge', 'Sessions of legacy clients.', sessions)
  text.single('gantry_requests_in_flight', 'gauge', 'Requests under way.', gateway.admission.inFlight)
  text.single('process_resident_memory_bytes', 'gauge', 'Memory of this process.', process.memoryUsage.rss())
  text.single('process_cpu_seconds_total', 'counter', 'CPU time of this process.', (user + system) / 1e6)
  const started = Date.now() / 1000 - process.uptime()
  text.single('process_start_time_seconds', 'gauge', 'When this process began.', Math.round(started))
  addTargets(text, targets)
  addRequests(text, targets, gateway)
  return text.toString()
}

function addTargets(text: MetricsText, targets: readonly Target[]): void {
  text.family('gantry_target_up', 'gauge', 'Whether a target is ready; its state is a label.')
  for (const { name, state } of targets) {
    text.sample('gantry_target_up', { target: name, state }, state === 'ready' ? 1 : 0)
  }
  text.family('gantry_target_restarts_total', 'counter', 'Starts of a target besides the first.')
  for (const { name, restarts } of targets) {
    text.sample('gantry_target_restarts_total', { target: name }, restarts)
  }
}

/** What the gateway answers by itself, lists for the most part, has no target. */
function addRequests(text: MetricsText, targets: readonly Target[], { view }: Gateway): void {
  const all = targets.map(({ name }) => [{ target: name }, view.statsOf(name).totals()] as const)
  text.family('gantry_requests_total', 'counter', 'Requests that were answered, of all clients.')
  text.sample('gantry_requests_total', {}, view.total.totals().calls)
  text.family('gantry_target_requests_total', 'counter', 'Requests that a target answered.')
  for (const [labels, { calls }] of all) text.sample('gantry_target_requests_total', labels, calls)
  text.family('gantry_target_errors_total', 'counter', 'Answers that are errors, those of tools included.')
  for (const [labels, { errors }] of all) text.sample('gantry_target_errors_total', labels, errors)
  const name = 'gantry_target_request_duration_seconds'
  text.family(name, 'histogram', 'How long requests to a target took, questions to the user included.')
  for (const [labels, totals] of all) text.histogram(name, labels, totals)
}

class MetricsText {
  #text = ''

  family(name: string, type: 'counter' | 'gauge' | 'histogram', help: string): void {
    this.#text += `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`
  }

  sample(name: string, labels: Labels, value: number): void {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`)
    this.#text += `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}\n`
  }

  single(name: string, type: 'counter' | 'gauge', help: string, value: number): void {
    this.family(name, type, help)
    this.sample(name, {}, value)
  }

  histogram(name: string, labels: Labels, { calls, durationMs, durations }: StatsTotals): void {
    let sum = 0
    for (const [index, bound] of DURATION_BOUNDS.entries()) {
      sum += durations[index] ?? 0
      this.sample(`${name}_bucket`, { ...labels, le: String(bound / 1000) }, sum)
    }
    this.sample(`${name}_bucket`, { ...labels, le: '+Inf' }, calls)
    this.sample(`${name}_sum`, labels, durationMs / 1000)
    this.sample(`${name}_count`, labels, calls)
  }

  toString(): string {
    return this.#text
  }
}

function escaped(text: string): string {
  return text.replace(/[\\"\n]/g, (one) => (one === '\n' ? '\\n' : `\\${one}`))
}

const SCOPES = [METRICS_SCOPE, ADMIN_SCOPE]

interface Refusal {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: string
}

/** Numbers tell what is behind a gateway: where it has a guard, they take a credential for them. */
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
