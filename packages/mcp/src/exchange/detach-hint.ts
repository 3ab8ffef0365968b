import { isJsonObject, type JsonObject, type RequestId, toNumber } from '../jsonrpc/index.ts'
import type { Exchange, Notification } from './exchange.ts'
import { RELATED_REQUEST, relatedRequestOf } from './message-hints.ts'

/**
 * Letting go of a response stream (2025-11-25, SEP-1699) is known to Streamable HTTP alone, and to its older
 * revisions. A gateway whose own client is there says so in `_meta`; a server built on this SDK that has no
 * stream of that kind then tells the gateway to let go of its client's. Everybody else ignores the name.
 */
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
