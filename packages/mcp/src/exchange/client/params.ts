import { copyWith, isJsonObject, type JsonObject, toNumber } from '../../jsonrpc/index.ts'
import { type ClientCapabilities, META, methodFacts, type ProgressToken } from '../../protocol/index.ts'
import { capabilitiesMeta } from '../call-capabilities.ts'
import { detachMeta } from '../detach-hint.ts'
import type { Exchange, Notification } from '../exchange.ts'
import { RELATED_REQUEST } from '../message-hints.ts'
import type { IncomingMessage } from '../wire.ts'

/** Whether a request may end in `input_required` (MCP 2026-07-28, basic/patterns/mrtr). */
export function canAskForInput(method: string): boolean {
  return methodFacts(method)?.asksForInput === true
}

/** The token that the asking side wants to see in progress notifications. */
export function progressTokenOf(exchange: Exchange): ProgressToken | undefined {
  const meta = exchange.params._meta
  const token = isJsonObject(meta) ? meta.progressToken : undefined
  const isToken = typeof token === 'string' || toNumber(token) !== undefined
  return isToken ? (token as ProgressToken) : undefined
}

/** The params of a modern request, with our envelope and our own, unique progress token. */
export function modernParams(
  exchange: Exchange,
  params: JsonObject,
  envelope: { version: string; token: ProgressToken | undefined; namesLogs?: boolean },
): JsonObject {
  const { client, logLevel } = exchange
  const meta = withoutEnvelope(params._meta)
  meta[META.protocolVersion] = envelope.version
  if (client.info !== undefined) meta[META.clientInfo] = client.info
  meta[META.clientCapabilities] = client.capabilities
  if (logLevel !== undefined) {
    meta[META.logLevel] = logLevel
    if (envelope.namesLogs) meta[RELATED_REQUEST] = true
  }
  if (envelope.token !== undefined) meta.progressToken = envelope.token
  if (exchange.detach) Object.assign(meta, detachMeta(exchange))
  return copyWith(params, '_meta', meta)
}

/** The params of a legacy request: no envelope, and no trace of rounds that this era does not know. */
export function legacyParams(
  exchange: Exchange,
  token: ProgressToken | undefined,
  declared: ClientCapabilities,
): JsonObject | undefined {
  const asks = canAskForInput(exchange.method)
  const params = asks ? withoutRounds(exchange.params) : { ...exchange.params }
  const meta: JsonObject = {
    ...withoutEnvelope(params._meta),
    ...detachMeta(exchange),
    ...(asks && capabilitiesMeta(exchange.client, declared)),
  }
  if (token !== undefined) meta.progressToken = token
  if (Object.keys(meta).length > 0) params._meta = meta
  else delete params._meta
  return Object.keys(params).length > 0 ? params : undefined
}

function withoutRounds({
  inputResponses: _responses,
  requestState: _state,
  ...params
}: JsonObject): JsonObject {
  return params
}

/** Takes the JSON-RPC frame off; everything else stays. */
export function toNotification(message: IncomingMessage): Notification {
  const { jsonrpc: _, ...notification } = message
  return notification
}

/** Gives a progress notification the caller's token back; undefined when the caller wanted none. */
export function toCallerProgress(notification: Notification, exchange: Exchange): Notification | undefined {
  const token = progressTokenOf(exchange)
  if (token === undefined) return undefined
  return { ...notification, params: { ...notification.params, progressToken: token } }
}

/** A copy of its own. Not by `delete`: that would make the object, and writing it as JSON, slow for good. */
function withoutEnvelope(meta: unknown): JsonObject {
  if (!isJsonObject(meta)) return {}
  const {
    [META.protocolVersion]: _version,
    [META.clientInfo]: _info,
    [META.clientCapabilities]: _capabilities,
    [META.logLevel]: _level,
    // What the peer on one side wants named says nothing about the other side.
    [RELATED_REQUEST]: _related,
    ...rest
  } = meta
  return rest
}
