import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { complete, PlainExchange, Sealer, type ExchangeInit, type Outcome } from '@gantry/mcp/exchange'
import type { Server } from '@gantry/mcp/server'
import type { TaskService } from '@gantry/mcp/extensions/tasks'
import { afterAll } from 'vitest'
import type { EndpointCatalog } from '../catalog/endpoint-catalog.ts'
import { configFromValue, type RawConfig } from '../config/index.ts'
import { Gateway } from '../gateway.ts'
import type { GatewayModel } from '../model/index.ts'
import { createMemoryStore } from '../store/index.ts'
import { SecretScrubber } from '../telemetry/secret-scrubber.ts'
import { GatewayExchange } from './gateway-exchange.ts'
import type { Link } from './link.ts'
import { Policy } from './policy/caller-catalog.ts'
import { Resolver } from './resolve/resolver.ts'
import { CallerTasks, createOwnTasks } from './tasks/caller-tasks.ts'
import { TaskIds } from './tasks/task-ids.ts'
import { toFailure } from './to-failure.ts'

/** A real gateway, and what the links of its common endpoint work with. */
export interface ChainBench {
  readonly gateway: Gateway
  readonly catalog: EndpointCatalog
  readonly policy: Policy
  readonly tasks: CallerTasks
  readonly ownTasks: TaskService
  readonly resolver: Resolver
  exchange(method: string, params?: ExchangeInit['params'], init?: Partial<ExchangeInit>): GatewayExchange
}

const closing: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const close of closing.splice(0)) await close()
})

/** Serves servers in this process under the names of the keys. */
export async function chainBench(
  apps: Record<string, Server>,
  config: Record<string, unknown> = {},
): Promise<ChainBench> {
  const targets = Object.fromEntries(Object.keys(apps).map((name) => [name, { module: name }]))
  const model = await modelOf({ mcpServers: targets, ...config })
  const store = createMemoryStore()
  const gateway = new Gateway({
    model,
    sealer: new Sealer(),
    store,
    scrubber: new SecretScrubber(model),
    log: () => {},
    version: '1',
    embedded: new Map(Object.entries(apps)),
  })
  closing.push(() => gateway.close())
  await gateway.load()
  const catalog = gateway.catalog.merged
  await catalog.ready(catalog.catalogs)
  const policy = new Policy(catalog, model.policy, '')
  const tasks = new CallerTasks(new TaskIds({ sealer: new Sealer(), endpoint: '' }), catalog)
  return {
    gateway,
    catalog,
    policy,
    tasks,
    ownTasks: createOwnTasks(store, () => {}),
    resolver: new Resolver({ catalog, tasks }),
    exchange: (method, params = {}, init = {}) =>
      new GatewayExchange(liveExchange(method, params, init), { name: '', policy }),
  }
}

export async function modelOf(config: Record<string, unknown>): Promise<GatewayModel> {
  const stateDir = join(tmpdir(), 'gantry-chain-test')
  const loaded = await configFromValue({ ...config, stateDir, catalog: { persist: false } } as RawConfig, {})
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems))
  return loaded.model
}

export function liveExchange(
  method: string,
  params: ExchangeInit['params'] = {},
  init: Partial<ExchangeInit> = {},
): PlainExchange {
  return new PlainExchange({ method, params, client: { capabilities: {}, version: '2026-07-28' }, ...init })
}

/** Runs a link as the recorder does: what asked for the end is told of it. */
export async function runLink(
  link: Link,
  exchange: GatewayExchange,
  next: () => Promise<Outcome>,
): Promise<Outcome> {
  try {
    const outcome = await link(exchange, next)
    exchange.tellEnded(outcome)
    return outcome
  } catch (thrown) {
    exchange.tellEnded(toFailure(thrown))
    throw thrown
  }
}

/** A `next` that answers with this result and remembers what it was called with. */
export function answering(outcome: Outcome = complete({})): {
  next: (exchange?: GatewayExchange) => Promise<Outcome>
  calls: number
} {
  const counted = {
    calls: 0,
    next: async () => {
      counted.calls++
      return outcome
    },
  }
  return counted
}
