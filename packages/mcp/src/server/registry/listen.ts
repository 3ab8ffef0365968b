import type { Exchange, Outcome } from '../../exchange/index.ts'
import { complete } from '../../exchange/exchange.ts'
import type { SubscriptionMeter } from '../../exchange/server/subscription-meter.ts'
import { SERVER_LOGS } from '../../exchange/legacy/server/subscriptions.ts'
import { INVALID_PARAMS, isJsonObject, ProtocolError } from '../../jsonrpc/index.ts'
import { eraOf, type ServerCapabilities, type SubscriptionFilter } from '../../protocol/index.ts'
import { grantFilter } from './capabilities.ts'
import type { ChangeHub } from './change-hub.ts'
import type { ChangeSource } from '../definitions/extension-hooks.ts'

export interface ListenHost {
  readonly meter: SubscriptionMeter
  readonly hub: ChangeHub
  readonly sources: readonly ChangeSource[]
  readonly capabilities: ServerCapabilities
}

/** `subscriptions/listen`: acknowledges what is honoured, then stays open (2026-07-28, Subscriptions). */
export async function listen(exchange: Exchange, host: ListenHost): Promise<Outcome> {
  const close = host.meter.open(exchange)
  try {
    return await listenCounted(exchange, host)
  } finally {
    close()
  }
}

async function listenCounted(exchange: Exchange, host: ListenHost): Promise<Outcome> {
  const asked = exchange.params.notifications
  if (!isJsonObject(asked)) {
    throw new ProtocolError(INVALID_PARAMS, 'Invalid params: "notifications" must be an object')
  }
  const granted: SubscriptionFilter = grantFilter(asked, host.capabilities)
  for (const source of host.sources) Object.assign(granted, await source.grant(asked, exchange))
  exchange.notify({
    method: 'notifications/subscriptions/acknowledged',
    params: { notifications: { ...granted } },
  })
  // Server-wide logs are an inner affair between us and the legacy edge; modern clients cannot have them.
  const isLegacy = eraOf(exchange.client.version) === 'legacy'
  if (isLegacy && asked[SERVER_LOGS] === true) granted[SERVER_LOGS] = true
  const stops = host.sources.map((source) => source.listen(granted, exchange))
  await host.hub.listen(exchange, granted)
  for (const stop of stops) stop()
  return complete({})
}
