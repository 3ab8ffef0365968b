import type {
  ClientEdge,
  Connector,
  IdMinter,
  LegacyClientEdgeOptions,
  ModernClientEdgeOptions,
  ReconnectOptions,
  Wire,
} from '../../exchange/index.ts'
import { abortError } from '../../exchange/plain-exchange.ts'
import { createIdMinter } from '../../exchange/client/client-edge.ts'
import { LegacyClientEdge } from '../../exchange/legacy/client/edge.ts'
import { ModernClientEdge } from '../../exchange/modern/client-edge.ts'
import { McpError, ProtocolError, type NumberMode } from '../../jsonrpc/index.ts'
import {
  type ClientCapabilities,
  type Duration,
  type Era,
  eraOf,
  type FormsOf,
  type Implementation,
  parseDuration,
  requireKnownOptions,
  type Revision,
  REVISIONS,
} from '../../protocol/index.ts'
import { EraCache, sharedEraCache } from './era-cache.ts'
import { probe, type ProbeFinding } from './probe.ts'

/** The options of edges that negotiation does not decide. */
export type EdgeHooks = Omit<
  LegacyClientEdgeOptions & ModernClientEdgeOptions,
  'info' | 'capabilities' | 'version' | 'discovery' | 'signal' | 'ids'
>

export interface NegotiateOptions {
  info: Implementation
  /** Declared in `initialize` to a legacy server; modern servers get them with each request. */
  capabilities: ClientCapabilities
  /** `auto` finds the era out; the others insist on it. Default `auto`. */
  era?: 'auto' | Era | undefined
  protocolVersion?: Revision | undefined
  /** How long `server/discover` may take on a pipe before the server counts as legacy. Default 10 s. */
  probeTimeout?: Duration | undefined
  eras?: EraCache | undefined
  /** What becomes of numbers in messages that a double does not hold. Default `rounded`. */
  numbers?: NumberMode | undefined
  /** For streams that break off while the connection lives. */
  reconnect?: ReconnectOptions | undefined
  signal?: AbortSignal | undefined
  hooks?: EdgeHooks | undefined
}

const OPTIONS: FormsOf<NegotiateOptions> = {
  info: 1,
  capabilities: 1,
  era: ['auto', 'legacy', 'modern'],
  protocolVersion: REVISIONS,
  probeTimeout: 1,
  eras: 1,
  numbers: ['exact', 'rounded', 'source'],
  reconnect: 1,
  signal: 1,
  hooks: 1,
}

export interface Negotiated {
  readonly edge: ClientEdge
  readonly wire: Wire
}

interface Channel {
  readonly wire: Wire
  readonly ids: IdMinter
}

const DEFAULT_PROBE_TIMEOUT = 10_000

/** Connects to a server and finds out how it wants to be spoken to. Leaves nothing open when it fails. */
export async function negotiate(connector: Connector, options: NegotiateOptions): Promise<Negotiated> {
  requireKnownOptions('negotiation', OPTIONS, options)
  try {
    return await new Negotiation(connector, options).run()
  } catch (thrown) {
    throw options.signal?.aborted ? abortError(options.signal) : thrown
  }
}

class Negotiation {
  readonly #connector: Connector
  readonly #options: NegotiateOptions
  readonly #eras: EraCache

  constructor(connector: Connector, options: NegotiateOptions) {
    this.#connector = connector
    this.#options = options
    // Servers in the same process come and go under one name, and asking them costs nothing.
    this.#eras = connector.kind === 'memory' ? new EraCache() : (options.eras ?? sharedEraCache)
  }

  async run(): Promise<Negotiated> {
    const era = this.#requiredEra()
    if (era === 'legacy') return this.#legacy(this.#connector)
    if (era === undefined) {
      const known = await this.#tryKnownLegacy()
      if (known) return known
    }
    return this.#using(this.#connector, (channel) => this.#probeAndConnect(channel, era))
  }

  #requiredEra(): Era | undefined {
    const { era, protocolVersion } = this.#options
    if (protocolVersion !== undefined) return eraOf(protocolVersion)
    if (this.#connector.kind === 'sse') return 'legacy'
    return era === 'auto' ? undefined : era
  }

  /** A finding is an assumption: when the handshake does not bear it out, we find out anew. */
  async #tryKnownLegacy(): Promise<Negotiated | undefined> {
    const known = this.#eras.get(this.#connector.key)
    if (known?.era !== 'legacy') return undefined
    try {
      const connector = known.fallback ? (this.#connector.fallback ?? this.#connector) : this.#connector
      return await this.#using(connector, (channel) => this.#handshake(channel))
    } catch (thrown) {
      if (!isDoubtful(thrown)) throw thrown
      this.#eras.delete(this.#connector.key)
      return undefined
    }
  }

  async #probeAndConnect(channel: Channel, required: Era | undefined): Promise<Negotiated> {
    const { probeTimeout = channel.wire.kind === 'http' ? undefined : DEFAULT_PROBE_TIMEOUT } = this.#options
    const limit = probeTimeout === undefined ? undefined : parseDuration(probeTimeout)
    const finding = await this.#probe(channel, required === 'modern' ? undefined : limit)
    if (finding.era === 'modern') return this.#modern(channel, finding)
    if (required === 'modern') throw notModern(finding.cause)
    if (finding.dead) {
      await channel.wire.close()
      return this.#legacy(this.#connector, finding.version)
    }
    let negotiated: Negotiated
    try {
      negotiated = await this.#handshake(channel, finding.version)
    } catch (thrown) {
      const isModern = finding.late?.()?.era === 'modern'
      // Silent for long, then no friend of `initialize`: a modern server that was slow to start.
      if (finding.late && (isModern || thrown instanceof ProtocolError)) {
        return this.#probeAgain(channel, thrown)
      }
      await channel.wire.close().catch(() => {})
      return this.#tryFallback(thrown)
    }
    if (!finding.late) return negotiated
    // A server that was slow to start may be modern: it is asked again next time.
    this.#eras.delete(this.#connector.key)
    if (finding.late()?.era !== 'modern') return negotiated
    // It has both eras, and this connection has become one of the older era: it gets another.
    await channel.wire.close().catch(() => {})
    return this.#using(this.#connector, (fresh) => this.#probeAndConnect(fresh, 'modern'))
  }

  async #probeAgain(channel: Channel, refusal: unknown): Promise<Negotiated> {
    const finding = await this.#probe(channel, undefined)
    if (finding.era === 'legacy') throw refusal
    return this.#modern(channel, finding)
  }

  #probe(channel: Channel, timeout: number | undefined): Promise<ProbeFinding> {
    const { info, capabilities, protocolVersion: version, signal } = this.#options
    return probe({ ...channel, info, capabilities, version, signal, timeout })
  }

  #modern(
    { wire, ids }: Channel,
    { version, discovery }: Extract<ProbeFinding, { era: 'modern' }>,
  ): Negotiated {
    const { headersFor, ...hooks } = this.#options.hooks ?? {}
    const edge = new ModernClientEdge(wire, {
      ...hooks,
      ids,
      version,
      discovery,
      headersFor: wire.kind === 'http' ? headersFor : undefined,
    })
    this.#eras.set(this.#connector.key, { era: 'modern', version, at: Date.now() })
    return { edge, wire }
  }

  async #legacy(connector: Connector, version?: Revision): Promise<Negotiated> {
    try {
      return await this.#using(connector, (channel) => this.#handshake(channel, version))
    } catch (thrown) {
      return this.#tryFallback(thrown)
    }
  }

  async #handshake({ wire, ids }: Channel, offered?: Revision): Promise<Negotiated> {
    const { info, capabilities, protocolVersion, signal, hooks } = this.#options
    const version = protocolVersion ?? offered
    const edge = await LegacyClientEdge.connect(wire, { ...hooks, info, capabilities, version, signal, ids })
    if (protocolVersion !== undefined && edge.version !== protocolVersion) {
      throw new McpError(
        'bad_version',
        `The server chose ${edge.version}, but this client insists on ${protocolVersion}`,
        { details: { offered: edge.version, required: protocolVersion } },
      )
    }
    // A client that insists on an era finds out nothing: the server may have both.
    if (this.#requiredEra() !== undefined) return { edge, wire }
    const fallback = wire.kind === 'sse'
    this.#eras.set(this.#connector.key, {
      era: 'legacy',
      version: edge.version,
      ...(fallback && { fallback }),
      at: Date.now(),
    })
    return { edge, wire }
  }

  /** HTTP+SSE is what remains when `initialize` is not accepted (basic/transports, backward compatibility). */
  async #tryFallback(refused: unknown): Promise<Negotiated> {
    const { fallback } = this.#connector
    if (!fallback || !suggestsFallback(refused)) throw refused
    try {
      return await this.#using(fallback, (channel) => this.#handshake(channel))
    } catch (thrown) {
      const { message } = McpError.from(thrown)
      const explained = McpError.from(refused)
      throw new McpError(explained.code, `${explained.message} HTTP+SSE did not work either: ${message}`, {
        cause: thrown,
        details: explained.details,
      })
    }
  }

  /** Opens a channel and closes it when its use fails. */
  async #using(connector: Connector, use: (channel: Channel) => Promise<Negotiated>): Promise<Negotiated> {
    const { signal, numbers, reconnect } = this.#options
    if (signal?.aborted) throw abortError(signal)
    const wire = await connector.open({ signal, numbers, reconnect })
    try {
      return await use({ wire, ids: createIdMinter() })
    } catch (thrown) {
      await wire.close().catch(() => {})
      throw thrown
    }
  }
}

/** Whether a failed handshake may mean that the server is not of the era that we took it for. */
function isDoubtful(thrown: unknown): boolean {
  if (thrown instanceof ProtocolError) return true
  return thrown instanceof McpError && ['http_status', 'bad_response', 'bad_version'].includes(thrown.code)
}

function suggestsFallback(thrown: unknown): boolean {
  if (thrown instanceof ProtocolError) return true
  if (!(thrown instanceof McpError) || thrown.code !== 'http_status') return false
  return [400, 404, 405].includes(thrown.details.status as number)
}

function notModern(cause: unknown): McpError {
  const why = cause instanceof Error ? `: ${cause.message}` : ''
  return new McpError('bad_version', `The server does not speak a modern revision of MCP${why}`, { cause })
}
