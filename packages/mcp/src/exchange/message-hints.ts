import { isJsonObject, type JsonObject, type RequestId, toNumber } from '../jsonrpc/index.ts'
import { META, type ClientCapabilities, eraOf } from '../protocol/index.ts'
import type { Notification, Exchange, InputRequest, InputRequests, ClientFacts } from './exchange.ts'

/** Names the request of a message on a shared channel, for clients that asked for it. */
export const RELATED_REQUEST = 'dev.gantry/relatedRequest'

/** Whether the sender of a modern request wants its log messages named. */
export function wantsNamedLogs({ _meta }: JsonObject): boolean {
  return isJsonObject(_meta) && _meta[RELATED_REQUEST] === true
}

/** A log message with the id of its request; other notifications name theirs in their own way. */
export function namedLog(notification: Notification, id: RequestId): Notification {
  if (notification.method !== 'notifications/message') return notification
  const meta = notification.params?._meta
  const _meta = { ...(isJsonObject(meta) ? meta : undefined), [RELATED_REQUEST]: id }
  return { ...notification, params: { ...notification.params, _meta } }
}

export function relatedRequestOf({ params }: { readonly params?: JsonObject | undefined }): unknown {
  return isJsonObject(params?._meta) ? params._meta[RELATED_REQUEST] : undefined
}

/** Tells a gateway the name of a question, for which legacy requests have no place. */
export const INPUT_KEY = 'dev.gantry/inputKey'

/** These hints are valid on one connection only. */
const BETWEEN_US: readonly string[] = [INPUT_KEY, RELATED_REQUEST, META.relatedTask]

/** A question or a notification without the hints of this connection, as the next peer may see it. */
export function withoutHints<Message extends { params?: JsonObject }>(message: Message): Message {
  const meta = message.params?._meta
  if (!isJsonObject(meta) || !BETWEEN_US.some((key) => key in meta)) return message
  const others = { ...meta }
  for (const key of BETWEEN_US) delete others[key]
  const { _meta: _, ...params } = message.params ?? {}
  return { ...message, params: Object.keys(others).length > 0 ? { ...params, _meta: others } : params }
}

/** The params of requests that have none. */
export const NO_PARAMS: JsonObject = Object.freeze({})

/** A request before it is handed to the server. */
export interface AskedMessage {
  readonly method: string
  readonly params?: JsonObject | undefined
}

/** The params of a request as its server gets them. */
export function paramsFor(
  { withoutOlderTasks }: { readonly withoutOlderTasks?: ((message: AskedMessage) => JsonObject) | undefined },
  message: AskedMessage,
): JsonObject {
  return withoutOlderTasks ? withoutOlderTasks(message) : (message.params ?? NO_PARAMS)
}

/**
 * For a server without tasks of 2025-11-25. Such a server has to treat a call that asks for a task as an ordinary call.
 * If it passed the name of a task on, a client could join another caller's task behind the server.
 */
export function withoutOlderTasks({ method, params = NO_PARAMS }: AskedMessage): JsonObject {
  const { _meta } = params
  const asksForTask = method === 'tools/call' && params.task !== undefined
  const namesTask = isJsonObject(_meta) && META.relatedTask in _meta
  if (!asksForTask && !namesTask) return params
  const rest = { ...params }
  if (asksForTask) delete rest.task
  if (namesTask) {
    const { [META.relatedTask]: _task, ...meta } = _meta
    rest._meta = meta
  }
  return rest
}

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

/** The request whose stream to close, and for how long; undefined for every other notification. */
export function readDetachHint({
  method,
  params,
}: Notification): { id: unknown; retryMs: number | undefined } | undefined {
  if (method !== METHOD) return undefined
  return { id: relatedRequestOf({ params }), retryMs: toNumber(params?.retryMs) }
}

/** The client capability that a question needs, or undefined when the client has it. */
export function missingCapability(
  request: InputRequest,
  declared: ClientCapabilities,
): ClientCapabilities | undefined {
  switch (request.method) {
    case 'elicitation/create':
      return missingElicitation(request.params?.mode === 'url', declared)
    case 'sampling/createMessage':
      return missingSampling(request.params?.tools !== undefined, declared)
    case 'roots/list':
      return declared.roots ? undefined : { roots: {} }
    default:
      return undefined
  }
}

function missingSampling(tools: boolean, { sampling }: ClientCapabilities): ClientCapabilities | undefined {
  if (sampling && (!tools || sampling.tools)) return undefined
  return { sampling: tools ? { tools: {} } : {} }
}

/** `elicitation: {}` means form mode (2025-11-25, Elicitation): URL mode has to be named. */
function missingElicitation(url: boolean, declared: ClientCapabilities): ClientCapabilities | undefined {
  const { elicitation } = declared
  if (url) return elicitation?.url ? undefined : { elicitation: { url: {} } }
  if (!elicitation) return { elicitation: {} }
  return elicitation.url && !elicitation.form ? { elicitation: { form: {} } } : undefined
}

export function missingCapabilities(
  requests: InputRequests,
  declared: ClientCapabilities,
): ClientCapabilities | undefined {
  let missing: ClientCapabilities | undefined
  for (const request of Object.values(requests)) {
    const one = missingCapability(request, declared)
    for (const [name, parts] of Object.entries(one ?? {})) {
      missing = { ...missing, [name]: { ...(missing?.[name] as object | undefined), ...(parts as object) } }
    }
  }
  return missing
}

/** In the `_meta` of a call: its progress may have pieces of the result. In that of progress: the piece. */
export const PARTIAL_CONTENT = 'dev.gantry/partialContent'

/** Carries one call's client capabilities over a shared legacy connection, for servers of this SDK. */
export const CALL_CAPABILITIES = 'dev.gantry/clientCapabilities'

/**
 * In the `_meta` of `server/discover`: the server asks in rounds whatever it asks live in the older era, as servers
 * built on this SDK do. A gateway needs no connection of the older era for the questions of such a server.
 */
export const ASKS_IN_ROUNDS = 'dev.gantry/asksInRounds'

const QUESTIONS = ['elicitation', 'sampling', 'roots'] as const

/** `_meta` for a modern client's call that has less than the connection declared; nothing for all others. */
export function capabilitiesMeta(client: ClientFacts, declared: ClientCapabilities): JsonObject {
  if (eraOf(client.version) !== 'modern') return {}
  if (QUESTIONS.every((name) => hasAll(client.capabilities[name], declared[name]))) return {}
  const left = narrowed(declared, client.capabilities)
  return {
    [CALL_CAPABILITIES]: Object.fromEntries(
      QUESTIONS.flatMap((name) => (left[name] ? [[name, left[name]]] : [])),
    ),
  }
}

/** The capabilities of one request: those of the session, or fewer where the request says so. */
export function callCapabilities(declared: ClientCapabilities, params: JsonObject): ClientCapabilities {
  const said = isJsonObject(params._meta) ? params._meta[CALL_CAPABILITIES] : undefined
  return isJsonObject(said) ? narrowed(declared, said) : declared
}

/** Whether the client, perhaps behind a gateway, knows the error for a capability that is missing. */
export function knowsMissingCapability({ client, params }: Exchange): boolean {
  if (eraOf(client.version) === 'modern') return true
  return isJsonObject(params._meta) && isJsonObject(params._meta[CALL_CAPABILITIES])
}

/** Whether narrowing would leave everything that was declared. */
function hasAll(theirs: unknown, mine: unknown): boolean {
  if (!isJsonObject(mine)) return true
  return isJsonObject(theirs) && Object.keys(mine).every((key) => Object.hasOwn(theirs, key))
}

/** The capabilities that both have. A request never gets more than the session declared. */
function narrowed(declared: ClientCapabilities, other: JsonObject): ClientCapabilities {
  const left: JsonObject = { ...declared }
  for (const name of QUESTIONS) {
    const [mine, theirs] = [declared[name], other[name]]
    if (!isJsonObject(mine)) continue
    if (!isJsonObject(theirs)) delete left[name]
    else left[name] = Object.fromEntries(Object.entries(mine).filter(([key]) => Object.hasOwn(theirs, key)))
  }
  return left
}
