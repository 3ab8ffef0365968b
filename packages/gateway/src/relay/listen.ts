import {
  complete,
  isJsonObject,
  ProtocolError,
  INVALID_PARAMS,
  type Exchange,
  type Outcome,
} from '@gantry/mcp/exchange'
import type { ServerCapabilities, SubscriptionFilter } from '@gantry/mcp/server'
import type { PublicUris } from '../catalog/public-uris.ts'
import type { Target } from '../targets/target.ts'
import type { ListChanges } from './list-changes.ts'
import { withParams } from './relayed-exchange.ts'
import type { Resolver } from './resolver.ts'

/**
 * `subscriptions/listen`: list changes are the gateway's own; resource updates come from the targets that own
 * the resources, each listened to for as long as the client listens.
 */
export async function listen(
  exchange: Exchange,
  changes: ListChanges,
  resolver: Resolver,
  capabilities: ServerCapabilities,
): Promise<Outcome> {
  const asked = exchange.params.notifications
  if (!isJsonObject(asked)) {
    throw new ProtocolError(INVALID_PARAMS, 'Invalid params: "notifications" must be an object')
  }
  const granted = grant(asked as SubscriptionFilter, capabilities)
  const uris = granted.resourceSubscriptions ?? []
  const owners = await groupByOwner(uris, resolver)
  exchange.notify({
    method: 'notifications/subscriptions/acknowledged',
    params: { notifications: granted },
  })
  for (const [target, own] of owners) void keepListening(target, own, resolver.urisOf(target), exchange)
  await changes.listen(exchange, granted)
  return complete({})
}

function grant(asked: SubscriptionFilter, capabilities: ServerCapabilities): SubscriptionFilter {
  const granted: SubscriptionFilter = {}
  for (const kind of ['tools', 'prompts', 'resources'] as const) {
    if (asked[`${kind}ListChanged`] === true && capabilities[kind]) granted[`${kind}ListChanged`] = true
  }
  if (Array.isArray(asked.resourceSubscriptions) && capabilities.resources) {
    granted.resourceSubscriptions = asked.resourceSubscriptions.filter((uri) => typeof uri === 'string')
  }
  return granted
}

async function groupByOwner(uris: readonly string[], resolver: Resolver): Promise<Map<Target, string[]>> {
  const owners = new Map<Target, string[]>()
  for (const uri of uris) {
    const target = await resolver.ownerOf(uri)
    if (!target) continue
    const own = resolver.urisOf(target).toOwn(uri)
    owners.set(target, [...(owners.get(target) ?? []), own])
  }
  return owners
}

const FIRST_PAUSE = 1000
const LONGEST_PAUSE = 30_000

/** A target that goes away is listened to again when it is back. */
async function keepListening(
  target: Target,
  own: string[],
  uris: PublicUris,
  exchange: Exchange,
): Promise<void> {
  let pause = FIRST_PAUSE
  while (!exchange.signal.aborted) {
    const params = { ...exchange.params, notifications: { resourceSubscriptions: own } }
    const asked = withParams(exchange, params, (notification) => {
      pause = FIRST_PAUSE
      const uri = notification.params?.uri
      if (notification.method !== 'notifications/resources/updated' || typeof uri !== 'string') return
      exchange.notify({ ...notification, params: { ...notification.params, uri: uris.toPublic(uri) } })
    })
    await target.handle(asked, true).catch(() => {})
    if (exchange.signal.aborted) return
    await new Promise((resolve) => setTimeout(resolve, pause).unref())
    pause = Math.min(LONGEST_PAUSE, pause * 2)
  }
}
