import { isJsonObject, type JsonObject, type RequestId, toNumber } from '../jsonrpc/index.ts'
import type { Exchange, Notification } from './exchange.ts'
import { RELATED_REQUEST, relatedRequestOf } from './message-hints.ts'

/** Tells a server of this SDK that the gateway's client could detach (SEP-1699), and it the gateway. */
export const DETACH_HINT = 'dev.gantry/detach'

const METHOD = `notifications/${DETACH_HINT}`

/** `_meta` for the next hop; nothing where the caller has no stream to let go of. */
export function detachMeta({ detach }: Exchange): JsonObject {
  return detach ? { [DETACH_HINT]: true } : {}
}

export function wantsDetachHint(params: JsonObject): boolean {
  return isJsonObject(params._meta) && params._meta[DETACH_HINT] === true
}

export function detachHint(id: RequestId, retryMs: number | undefined): Notification {
  return {
    method: METHOD,
    params: { ...(retryMs !== undefined && { retryMs }), _meta: { [RELATED_REQUEST]: id } },
  }
}

/** Whose stream to let go of, and for how long; undefined for every other notification. */
export function readDetachHint({
  method,
  params,
}: Notification): { id: unknown; retryMs: number | undefined } | undefined {
  if (method !== METHOD) return undefined
  return { id: relatedRequestOf({ params }), retryMs: toNumber(params?.retryMs) }
}
