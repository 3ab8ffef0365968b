import type { IdMinter, Wire } from '../../exchange/index.ts'
import { abortError } from '../../exchange/plain-exchange.ts'
import {
  HEADER_MISMATCH,
  isJsonObject,
  type JsonObject,
  type JsonRpcResponse,
  McpError,
  MISSING_CLIENT_CAPABILITY,
  ProtocolError,
  UNSUPPORTED_PROTOCOL_VERSION,
} from '../../jsonrpc/index.ts'
import {
  type ClientCapabilities,
  type Discovery,
  type Implementation,
  LATEST_MODERN,
  LEGACY_REVISIONS,
  META,
  MODERN_REVISIONS,
  type Revision,
  withoutResultType,
} from '../../protocol/index.ts'

/**
 * What a probe found. `dead`: the server did not survive it and has to be started again. `late`: there was no answer in
 * time; it returns what came since, and waits no longer.
 */
export type ProbeFinding =
  | { era: 'modern'; version: Revision; discovery: Discovery }
  | {
      era: 'legacy'
      version?: Revision | undefined
      dead?: true
      late?: () => ProbeFinding | undefined
      cause?: unknown
    }

export interface ProbeOptions {
  wire: Wire
  ids: IdMinter
  info: Implementation
  capabilities: ClientCapabilities
  /** The revision to probe with, when no other revision is allowed. */
  version?: Revision | undefined
  /** How long the server may take, in ms; undefined leaves it to the signal. */
  timeout?: number | undefined
  signal?: AbortSignal | undefined
}

const MODERN_ERRORS: ReadonlySet<number> = new Set([
  HEADER_MISMATCH,
  MISSING_CLIENT_CAPABILITY,
  UNSUPPORTED_PROTOCOL_VERSION,
])

/** Failures that say nothing about the era: there is no point in trying anything else. */
const INCONCLUSIVE: ReadonlySet<string> = new Set([
  'unauthorized',
  'forbidden',
  'oauth',
  'network',
  'spawn_failed',
  'cancelled',
  'session_lost',
])

/** A proxy that does not reach the server, or a server that takes nothing now. */
const NOT_NOW: ReadonlySet<unknown> = new Set([429, 502, 503, 504])

/** Sends `server/discover`: a modern error means modern, another or silence legacy (basic/versioning). */
export async function probe(options: ProbeOptions): Promise<ProbeFinding> {
  const version = options.version ?? LATEST_MODERN
  const first = await ask(options, version)
  if ('finding' in first) return first.finding
  const { response } = first
  if (!('error' in response)) return readDiscovery(response.result, options.version)
  if (response.error.code !== UNSUPPORTED_PROTOCOL_VERSION) return readError(response)
  const chosen = choose(supportedBy(response.error.data), options.version, version)
  if (chosen.era === 'legacy') return chosen
  // The server has named a revision that we have: it is asked once more, and no more than once.
  const second = await ask(options, chosen.version)
  if ('finding' in second) throw second.finding.cause
  if ('error' in second.response) throw ProtocolError.fromJsonRpc(second.response.error)
  return readDiscovery(second.response.result, options.version)
}

async function ask(
  options: ProbeOptions,
  version: Revision,
): Promise<{ response: JsonRpcResponse } | { finding: ProbeFinding & { cause?: unknown } }> {
  const { wire, timeout } = options
  const waiting = new AbortController()
  const signal = options.signal ? AbortSignal.any([options.signal, waiting.signal]) : waiting.signal
  const params = {
    _meta: {
      [META.protocolVersion]: version,
      [META.clientInfo]: options.info,
      [META.clientCapabilities]: options.capabilities,
    },
  }
  try {
    const message = { jsonrpc: '2.0', id: options.ids(), method: 'server/discover', params } as const
    const answer = wire.request(message, { signal })
    const response = await (timeout === undefined ? answer : inTime(answer, timeout))
    if (response) return { response }
    let found: ProbeFinding | undefined
    answer
      .then((late) => {
        if (!('error' in late)) found = readDiscovery(late.result, options.version)
      })
      .catch(() => {})
    const late = (): ProbeFinding | undefined => {
      waiting.abort()
      return found
    }
    return { finding: { era: 'legacy', late, cause: silence(timeout) } }
  } catch (thrown) {
    if (options.signal?.aborted) throw abortError(options.signal)
    const { code, details } = McpError.from(thrown)
    if (INCONCLUSIVE.has(code) || NOT_NOW.has(details.status)) throw thrown
    const dead = wire.kind !== 'http' && (code === 'exited' || code === 'closed')
    return { finding: { era: 'legacy', cause: thrown, ...(dead && { dead }) } }
  }
}

/** Undefined when it takes longer. */
async function inTime<T>(work: Promise<T>, timeout: number): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const over = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, timeout, undefined)
  })
  try {
    return await Promise.race([work, over])
  } finally {
    clearTimeout(timer)
  }
}

function readError(response: Extract<JsonRpcResponse, { error: unknown }>): ProbeFinding {
  const error = ProtocolError.fromJsonRpc(response.error)
  if (MODERN_ERRORS.has(error.code)) throw error
  return { era: 'legacy', cause: error }
}

function readDiscovery(result: JsonObject, pinned: Revision | undefined): ProbeFinding {
  const discovery = withoutResultType(result)
  // Some legacy servers answer anything with an empty result.
  if (!Array.isArray(discovery.supportedVersions)) return { era: 'legacy' }
  const chosen = choose(discovery.supportedVersions, pinned)
  if (chosen.era === 'legacy') return chosen
  const capabilities = isJsonObject(discovery.capabilities) ? discovery.capabilities : {}
  return { ...chosen, discovery: { ...discovery, capabilities } as Discovery }
}

/** The newest revision that both sides have. When a server lists only legacy revisions, one of them is used. */
function choose(
  supported: readonly unknown[],
  pinned: Revision | undefined,
  requested?: Revision,
): { era: 'modern'; version: Revision } | { era: 'legacy'; version: Revision } {
  const ours = pinned ? [pinned] : [...LEGACY_REVISIONS, ...MODERN_REVISIONS]
  const version = ours.findLast((revision) => supported.includes(revision))
  if (version) return { era: MODERN_REVISIONS.includes(version) ? 'modern' : 'legacy', version }
  throw new McpError(
    'bad_version',
    `No revision in common: the server speaks ${JSON.stringify(supported)}, this client ${ours.join(', ')}`,
    { details: { supported, requested: requested ?? ours.at(-1) } },
  )
}

function supportedBy(data: unknown): unknown[] {
  return isJsonObject(data) && Array.isArray(data.supported) ? data.supported : []
}

function silence(timeout: number | undefined): McpError {
  return new McpError('timeout', `The server did not answer server/discover within ${timeout} ms`)
}
