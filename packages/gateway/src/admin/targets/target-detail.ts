import { isLegacyKey, legacyKey, sameInAuto } from '../../targets/connection/pool.ts'
import type { Instance } from '../../targets/connection/instance.ts'
import type { Target } from '../../targets/target.ts'
import type { AdminHost } from '../admin-host.ts'
import {
  countOf,
  type HandshakeStep,
  type InstanceDetail,
  type JsonObject,
  type TargetConfig,
  type TargetDetail,
} from '../contract.ts'
import { presentSteps } from '../explain/present-steps.ts'
import { publicId } from '../public-id.ts'
import type { ProcessWatch } from './process-watch.ts'
import { explainInstance, spokenOf, type TargetCards } from './target-cards.ts'

const STDERR_LINES = 500

export interface DetailSources {
  readonly host: AdminHost
  readonly cards: TargetCards
  readonly processes: ProcessWatch
}

export async function targetDetail(
  target: Target,
  config: TargetConfig,
  { host, cards, processes }: DetailSources,
): Promise<TargetDetail> {
  const [card, instances] = await Promise.all([
    cards.card(target),
    Promise.all(target.instances.map((instance) => presentInstance(target, instance, host, processes))),
  ])
  const snapshot = host.gateway.catalog.of(target)?.snapshot
  const connection = target.instances.find((instance) => instance.connection)?.connection
  const discovery = connection?.discovery ?? snapshot?.discovery
  return {
    ...card,
    instances: instances.sort((a, b) => (a.key === '' ? -1 : b.key === '' ? 1 : a.since - b.since)),
    ...(discovery && {
      capabilities: discovery.capabilities as JsonObject,
      discovery: discovery as unknown as JsonObject,
      ...(discovery.instructions !== undefined && { instructions: discovery.instructions }),
    }),
    config,
    stderr: target.stderr.tail(STDERR_LINES),
  }
}

async function presentInstance(
  target: Target,
  instance: Instance,
  host: AdminHost,
  processes: ProcessWatch,
): Promise<InstanceDetail> {
  const { connection, key, retryAt } = instance
  const problem = explainInstance(target, instance)
  return {
    key: publicKey(key),
    label: labelOf(publicKey(key)),
    state: instance.state,
    ...(problem && { problem }),
    since: instance.since,
    starts: instance.starts,
    failures: instance.failures,
    ...(retryAt > Date.now() && { retryAt }),
    ...spokenOf(connection),
    inFlight: instance.slots.used,
    waiting: instance.slots.waiting,
    steps: stepsOf(target, instance, host),
    ...(connection?.process?.pid !== undefined && { pid: connection.process.pid }),
    processes: await processes.rows(instance),
  }
}

/** The handshake, and for the shared connection what came of asking for lists over it. */
function stepsOf(target: Target, instance: Instance, host: AdminHost): HandshakeStep[] {
  const { handshake } = instance
  if (!handshake) return []
  const steps = presentSteps(handshake, target.model, target.stderr)
  const list = steps.at(-1)
  if (list?.name !== 'list' || list.status !== 'pending' || instance.state !== 'ready') return steps
  if (instance.key !== '') return steps.slice(0, -1)
  return [...steps.slice(0, -1), { ...list, ...listOutcome(target, handshake.startedAt, host) }]
}

function listOutcome(target: Target, startedAt: number, { gateway }: AdminHost): Partial<HandshakeStep> {
  const catalog = gateway.catalog.of(target)
  const ready = mainReadyAt(target)
  const { snapshot, problem } = catalog ?? {}
  if (problem !== undefined) {
    return { status: 'failed', problem: { code: 'list_failed', what: problem } }
  }
  if (!snapshot || snapshot.fetchedAt < ready) return { status: 'pending' }
  const { tools, prompts, resources, templates } = snapshot
  return {
    status: 'done',
    at: ready,
    offset: ready - startedAt,
    duration: snapshot.fetchedAt - ready,
    detail: [
      countOf(tools.length, 'tool'),
      countOf(prompts.length, 'prompt'),
      countOf(resources.length, 'resource'),
      countOf(templates.length, 'template'),
    ].join(', '),
  }
}

function mainReadyAt(target: Target): number {
  return target.instances.find((instance) => instance.key === '')?.since ?? 0
}

/** Session ids open sessions: what leaves the gateway is a name for them. */
function publicKey(key: string): string {
  if (isLegacyKey(key)) return legacyKey(publicKey(sameInAuto(key)))
  const [kind, id = ''] = key.split(/:(.*)/s)
  return kind === 'session' || kind === 'call' ? `${kind}:${publicId(id)}` : key
}

function labelOf(key: string): string {
  if (isLegacyKey(key))
    return `${labelOf(sameInAuto(key))}, in the older era: legacy clients can be asked there`
  if (key === '') return 'one for all clients'
  const [kind, id = ''] = key.split(/:(.*)/s)
  if (kind === 'user') return id === '' ? 'anonymous' : `user ${id}`
  return `${kind} ${id}`
}
