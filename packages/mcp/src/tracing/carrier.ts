import { propagation, ROOT_CONTEXT, type Context } from '@opentelemetry/api'
import { isJsonObject, type JsonObject } from '../jsonrpc/index.ts'

/** Longer values are left out: a peer decides how long they are. */
const MAX_LENGTH = 8192

/** The context that the sender put into `_meta` (SEP-414), read by the propagators that the program has set up. */
export function contextIn({ _meta }: JsonObject): Context {
  return isJsonObject(_meta) ? propagation.extract(ROOT_CONTEXT, _meta, GETTER) : ROOT_CONTEXT
}

const GETTER = {
  keys: (meta: JsonObject): string[] => Object.keys(meta),
  get: (meta: JsonObject, key: string): string | undefined => {
    const value = Object.hasOwn(meta, key) ? meta[key] : undefined
    return typeof value === 'string' && value.length <= MAX_LENGTH ? value : undefined
  },
}

/** Params whose `_meta` names a span as the parent of what the peer does. */
export function withContext(params: JsonObject, context: Context): JsonObject {
  const carrier: JsonObject = {}
  propagation.inject(context, carrier)
  if (Object.keys(carrier).length === 0) return params
  return { ...params, _meta: { ...(isJsonObject(params._meta) && params._meta), ...carrier } }
}
