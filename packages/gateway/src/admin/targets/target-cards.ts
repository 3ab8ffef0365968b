import { META } from '@gantry/mcp/exchange'
import type { TargetCatalog } from '../../catalog/target-catalog.ts'
import { describeTarget } from '../../model/index.ts'
import type { Instance } from '../../targets/connection/instance.ts'
import type { TargetConnection } from '../../targets/connected/target-connection.ts'
import type { Target } from '../../targets/target.ts'
import type { AdminHost } from '../admin-host.ts'
import { estimateTokens } from '../catalog/estimate-tokens.ts'
import type {
  EntryCounts,
  Explanation,
  ProcessUsage,
  TargetCard,
  TargetState,
  TrafficStats,
} from '../contract.ts'
import { explainFailure } from '../explain/explain-failure.ts'
import { explainOff } from '../explain/failure-context.ts'
import { contextOf } from '../explain/present-steps.ts'
import type { ProcessWatch } from './process-watch.ts'
import type { StatsSummary } from '../../telemetry/stats.ts'

export class TargetCards {
  readonly #host: AdminHost
  readonly #processes: ProcessWatch
  readonly #counts = new WeakMap<object, EntryCounts>()

  constructor(host: AdminHost, processes: ProcessWatch) {
    this.#host = host
    this.#processes = processes
  }

  /** With a fresh look at the processes. */
  async card(target: Target): Promise<TargetCard> {
    return this.#make(target, await this.#processes.usage(target))
  }

  /** At once, with what is known of the processes. */
  quickCard(target: Target): TargetCard {
    return this.#make(target, this.#processes.lastUsage(target))
  }

  all(): Promise<TargetCard[]> {
    return Promise.all(this.#host.gateway.targets.map((target) => this.card(target)))
  }

  #make(target: Target, usage: ProcessUsage | undefined): TargetCard {
    const { gateway, url } = this.#host
    const { model, name } = target
    const main = mainOf(target)
    const connection =
      main?.connection ?? target.instances.find((instance) => instance.connection)?.connection
    const catalog = gateway.catalog.of(target)
    const discovery = connection?.discovery ?? catalog?.snapshot?.discovery
    const problem = explainTarget(target, catalog)
    const serverInfo = discovery?._meta?.[META.serverInfo] as TargetCard['serverInfo']
    return {
      name,
      ...(model.title !== undefined && { title: model.title }),
      kind: model.kind,
      what: describeTarget(model),
      state: stateOf(target),
      since: (target.state === 'stopped' ? target.stoppedAt : main?.since) ?? this.#host.startedAt,
      ...(problem && { problem }),
      ...(main && main.retryAt > Date.now() && { retryAt: main.retryAt }),
      ...spokenOf(connection),
      ...(serverInfo && { serverInfo: pickInfo(serverInfo) }),
      counts: this.countsOf(catalog),
      stale: catalog?.stale ?? false,
      stats: toTrafficStats(gateway.exchanges.statsOf(name).summary()),
      restarts: target.restarts,
      ...breaksOf(target),
      connections: target.instances.filter((instance) => instance.connection).length,
      ...(target.isolatesByItself && { isolatesByItself: true }),
      inFlight: target.instances.reduce((sum, instance) => sum + instance.slots.used, 0),
      ...(usage && { usage }),
      endpoint: `${url}/mcp/${encodeURIComponent(name)}`,
    }
  }

  countsOf(catalog: TargetCatalog | undefined): EntryCounts {
    const snapshot = catalog?.snapshot
    if (!snapshot) return { tools: 0, prompts: 0, resources: 0, templates: 0, tokens: 0 }
    let counts = this.#counts.get(snapshot)
    if (!counts) {
      const { tools, prompts, resources, templates } = snapshot
      const tokens = tools.reduce((sum, tool) => sum + estimateTokens(tool), 0)
      counts = {
        tools: tools.length,
        prompts: prompts.length,
        resources: resources.length,
        templates: templates.length,
        tokens,
      }
      this.#counts.set(snapshot, counts)
    }
    return counts
  }
}

/** Transport, era and revision of the connection to the server. Another process may have that connection. */
export function spokenOf(
  connection: TargetConnection | undefined,
): Pick<TargetCard, 'transport' | 'era' | 'revision'> {
  if (!connection) return {}
  const { transport, era, version } = connection.spoken ?? connection
  return { transport, era, revision: version }
}

/** The shared connection, if it was ever made. Looking for it must not make it. */
export function mainOf(target: Target): Instance | undefined {
  return target.instances.find((instance) => instance.key === '')
}

export function stateOf(target: Target): TargetState {
  return target.model.enabled ? target.state : 'disabled'
}

function breaksOf(target: Target): Pick<TargetCard, 'breaks'> {
  const breaks = target.instances.flatMap((instance) => instance.breaks).sort((a, b) => a.at - b.at)
  const last = breaks.at(-1)
  if (!last) return {}
  const { what } = explainFailure(last.reason, contextOf(undefined, target.model, undefined, target.stderr))
  return { breaks: { at: breaks.map(({ at }) => at), what } }
}

export function stderrTexts(target: Target): string[] {
  return target.stderr.tail(60).map((line) => line.text)
}

export function explainTarget(target: Target, catalog: TargetCatalog | undefined): Explanation | undefined {
  const { model } = target
  if (!model.enabled) return explainOff(model, 'Set what is missing; the gateway notices by itself.')
  if (target.state === 'stopped') {
    return { code: 'stopped', what: 'It was stopped by hand.', fix: 'Start it again.' }
  }
  const main = mainOf(target)
  if (main && main.state !== 'ready' && main.failure !== undefined) return explainInstance(target, main)
  if (main?.state === 'ready' && catalog?.problem !== undefined) {
    return { code: 'list_failed', what: `Its lists could not be fetched: ${catalog.problem}` }
  }
  return undefined
}

export function explainInstance(target: Target, instance: Instance): Explanation | undefined {
  if (instance.failure === undefined || instance.state === 'ready') return undefined
  const failed = instance.handshake?.steps.find((step) => step.failure)
  return explainFailure(
    instance.failure,
    contextOf(instance.handshake, target.model, failed?.name, target.stderr),
  )
}

function pickInfo(info: NonNullable<TargetCard['serverInfo']>): NonNullable<TargetCard['serverInfo']> {
  const { name, version, title } = info
  return {
    name: String(name),
    version: String(version),
    ...(title !== undefined && { title: String(title) }),
  }
}

export function toTrafficStats({ calls, errors, p50, p95, traffic }: StatsSummary): TrafficStats {
  return {
    calls,
    errors,
    ...(calls > 0 && { errorRate: errors / calls }),
    ...(p50 !== undefined && { p50 }),
    ...(p95 !== undefined && { p95 }),
    traffic,
  }
}
