import { type ClientCapabilities, eraOf } from '../protocol/index.ts'
import type { InputRequest, InputRequests, ClientFacts, Exchange } from './exchange.ts'
import { isJsonObject, type JsonObject } from '../jsonrpc/index.ts'

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

/** Whether whoever asked, perhaps behind a gateway, knows the error for a capability that is missing. */
export function knowsMissingCapability({ client, params }: Exchange): boolean {
  if (eraOf(client.version) === 'modern') return true
  return isJsonObject(params._meta) && isJsonObject(params._meta[CALL_CAPABILITIES])
}

/** Whether narrowing would leave everything that was declared. */
function hasAll(theirs: unknown, mine: unknown): boolean {
  if (!isJsonObject(mine)) return true
  return isJsonObject(theirs) && Object.keys(mine).every((key) => Object.hasOwn(theirs, key))
}

/** What both have; nobody gets more than was declared. */
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
