import type {
  ClientEdge,
  Connector,
  Exchange,
  Notification,
  Outcome,
  RequestAnswer,
  ReconnectOptions,
} from '../exchange/index.ts'
import { sendsIntegers } from '../exchange/derive-exchange.ts'
import { type Owner, ownerOf } from '../exchange/client/client-edge.ts'
import { MAX_ROUNDS } from '../exchange/exchange.ts'
import { reconnectDelays } from '../exchange/wire.ts'
import { INTERNAL_ERROR, type JsonObject, McpError, ProtocolError, withSources } from '../jsonrpc/index.ts'
import {
  type ClientCapabilities,
  type Implementation,
  LATEST_LEGACY,
  type LoggingLevel,
  parseDuration,
  requireExtensionNames,
  requireKnownOptions,
  type Tool,
} from '../protocol/index.ts'
import { Answers } from './answers.ts'
import { factsOf, implementationOf, legacyCapabilities, mergeCapabilities } from './client-facts.ts'
import { CLIENT_OPTIONS, type ClientEvents, type ClientOptions } from './client-options.ts'
import { Connection } from './connection.ts'
import { Emitter } from './emitter.ts'
import { negotiate, type Negotiated } from './negotiation/negotiate.ts'
import type { LogMessage } from './request-options.ts'
import { Requests } from './requests.ts'
import { ResponseCache } from './response-cache.ts'
import { Subscriptions } from './subscriptions/subscriptions.ts'
import { TimedExchange } from './deadlines/timed-exchange.ts'
import { ToolDirectory } from './tool-directory.ts'

const SECOND = 1_000
const DEFAULTS = {
  timeout: 60 * SECOND,
  maxTotalTimeout: 3_600 * SECOND,
  connectTimeout: 60 * SECOND,
  /** Over HTTP, connecting may include a person who signs in. */
  httpConnectTimeout: 180 * SECOND,
}

/** The client's own requests all belong to its author; other requests come from callers that it relays for. */
const AUTHOR: Owner = { session: undefined, principal: undefined }

/** The parts of a client and how they are joined; `Client` is their public face. */
export class ClientCore {
  readonly options: ClientOptions
  readonly info: Implementation
  readonly capabilities: ClientCapabilities
  readonly answers: Answers
  readonly events: Emitter<ClientEvents>
  readonly connection: Connection
  readonly requests: Requests
  readonly subscriptions: Subscriptions
  readonly directory: ToolDirectory = new ToolDirectory()
  connector: Connector | undefined
  logLevel: LoggingLevel | undefined
  /** Whether a legacy server was told the level. */
  hasToldLevel = false
  /** The capabilities and request handlers of extensions for legacy servers. */
  readonly extensions: { capabilities: ClientCapabilities; answers: RequestAnswer[] } = {
    capabilities: {},
    answers: [],
  }
  readonly #cache: ResponseCache | undefined
  #isAway = false

  constructor(options: ClientOptions) {
    requireKnownOptions('client', CLIENT_OPTIONS, options)
    this.options = options
    this.info = implementationOf(options)
    this.answers = new Answers(options)
    requireExtensionNames(options.capabilities?.extensions)
    this.capabilities = mergeCapabilities(this.answers.capabilities, options.capabilities)
    this.connector = options.connector
    this.logLevel = options.logLevel
    // A listener for warnings that throws has had its chance.
    this.events = new Emitter((thrown, event) => event !== 'warning' && this.warn(thrown))
    this.#cache = createCache(options.cache)
    this.connection = this.#createConnection()
    this.requests = this.#createRequests()
    this.subscriptions = this.#createSubscriptions()
  }

  readonly ask = (
    requests: Parameters<NonNullable<Exchange['ask']>>[0],
    signal: AbortSignal = new AbortController().signal,
    request?: { method: string; params: JsonObject },
  ): ReturnType<NonNullable<Exchange['ask']>> => {
    const given = this.answers.ask(requests, { signal, request })
    const answers = this.options.numbers === 'exact' ? given.then(withSources) : given
    if (this.connection.current?.edge.era !== 'legacy') return answers
    // A modern call fails with what went wrong; a legacy server gets an error, and our side would not know why.
    return answers.catch((thrown) => {
      this.warn(thrown)
      throw thrown instanceof McpError ? new ProtocolError(INTERNAL_ERROR, thrown.message) : thrown
    })
  }

  /** Only the last revision with requests of servers has any that an extension could answer. */
  get #ofExtensions(): ClientCapabilities {
    const { protocolVersion = LATEST_LEGACY } = this.options
    return protocolVersion === LATEST_LEGACY ? this.extensions.capabilities : {}
  }

  readonly #answer: RequestAnswer = (exchange) => {
    for (const answer of this.extensions.answers) {
      const outcome = answer(exchange)
      if (outcome !== undefined) return outcome
    }
    return undefined
  }

  /** Makes something known that harms no request. */
  warn(thrown: unknown): void {
    this.events.emit('warning', thrown instanceof Error ? thrown : new Error(String(thrown)))
  }

  /** Modern HTTP clients must leave out tools whose header annotations are invalid (server/tools). */
  isUsable(tool: Tool): boolean {
    const { current } = this.connection
    if (current?.edge.era !== 'modern' || current.wire.kind !== 'http') return true
    const problem = this.directory.headerProblem(tool?.name)
    if (problem !== undefined) {
      this.warn(new McpError('bad_response', `The tool ${tool.name} is left out: ${problem}`))
    }
    return problem === undefined
  }

  #createConnection(): Connection {
    const { options } = this
    const isHttp = () => this.connector?.kind === 'http' || this.connector?.kind === 'sse'
    return new Connection({
      open: (signal) => this.#negotiate(signal),
      timeout: () =>
        parseDuration(
          options.connectTimeout ?? (isHttp() ? DEFAULTS.httpConnectTimeout : DEFAULTS.connectTimeout),
        ),
      autoConnect: options.autoConnect ?? true,
      reconnect: options.reconnect !== false,
      onOpen: ({ edge }) => {
        this.subscriptions.update()
        this.#restoreLogLevel(edge)
        this.#back()
      },
      onLost: (reason, isExpected) => {
        if (isExpected) this.#isAway = false
        else this.#away()
        this.events.emit('close', reason)
      },
    })
  }

  #negotiate(signal: AbortSignal): Promise<Negotiated> {
    const { options, connector } = this
    if (!connector) {
      throw new McpError('not_connected', 'There is no server to connect to: pass a connector to connect()')
    }
    return negotiate(connector, {
      info: this.info,
      capabilities: { ...legacyCapabilities(this.capabilities), ...this.#ofExtensions },
      era: options.era,
      protocolVersion: options.protocolVersion,
      probeTimeout: options.probeTimeout,
      eras: options.eras,
      numbers: options.numbers,
      reconnect: reconnectOptions(options),
      signal,
      hooks: {
        maxRounds: options.maxRounds ?? MAX_ROUNDS,
        continuations: options.continuations,
        headersFor: this.directory.headersFor,
        ownerOf: (exchange) => (exchange instanceof TimedExchange ? AUTHOR : ownerOf(exchange)),
        ask: (requests, asking) => this.ask(requests, asking),
        answer: this.extensions.answers.length > 0 ? this.#answer : undefined,
        onStep: options.onHandshake,
        onAmbiguous: (report) => {
          options.onAmbiguous?.(report)
          const calls = report.calls.length
          this.warn(
            new McpError('bad_response', `${report.method} could belong to any of ${calls} calls: refused`),
          )
        },
        onLog: ({ params }) => this.events.emit('log', params as LogMessage),
        onNotification: (notification) => this.subscriptions.deliver(notification),
      },
    })
  }

  #createRequests(): Requests {
    const { options } = this
    const facts = factsOf(this.info, this.capabilities)
    return new Requests({
      connection: this.connection,
      cache: this.#cache,
      directory: this.directory,
      timeout: parseDuration(options.timeout ?? DEFAULTS.timeout),
      maxTotalTimeout: parseDuration(options.maxTotalTimeout ?? DEFAULTS.maxTotalTimeout),
      maxRounds: options.maxRounds ?? MAX_ROUNDS,
      middleware: [...(options.middleware ?? []), ...(options.numbers === 'exact' ? [sendsIntegers] : [])],
      onAway: this.#away,
      onBack: this.#back,
      ask: this.ask,
      facts: () => facts,
      logLevel: () => this.logLevel,
      traceContext: () => options.traceContext?.(),
      onLog: (log) => this.events.emit('log', log),
      onNotification: (notification) => this.subscriptions.deliver(notification),
      onError: (thrown) => this.warn(thrown),
    })
  }

  #createSubscriptions(): Subscriptions {
    return new Subscriptions({
      events: this.events,
      capabilities: () => this.connection.current?.edge.discovery.capabilities,
      reconnect: () => this.connection.acquire(),
      open: (filter, notify, signal) => this.#listen({ notifications: filter }, notify, signal),
      sharesChannel: () => {
        const { current } = this.connection
        return current?.edge.era === 'modern' && current.wire.kind !== 'http'
      },
      onChange: ({ method, params }) => this.#cache?.invalidate(method, params),
      delays: reconnectDelays(reconnectOptions(this.options), Number.POSITIVE_INFINITY),
      onBroken: this.#away,
      onBack: this.#announceBack,
    })
  }

  /** Runs as long as it is listened to: no time limit, no middleware. */
  async #listen(
    params: JsonObject,
    notify: (notification: Notification) => void,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const { edge } = await this.connection.acquire(signal)
    const client = factsOf(this.info, this.capabilities)
    const exchange: Exchange = { method: 'subscriptions/listen', params, client, signal, notify }
    try {
      return await edge.handle(exchange)
    } catch (thrown) {
      if (!(thrown instanceof McpError) || thrown.code !== 'session_lost' || signal.aborted) throw thrown
      return (await this.connection.renew(edge, thrown, signal)).edge.handle(exchange)
    }
  }

  /** A new session of a legacy server does not know the log level that was set in the previous session. */
  #restoreLogLevel(edge: ClientEdge): void {
    const { logLevel: level } = this
    if (
      level === undefined ||
      !this.hasToldLevel ||
      edge.era !== 'legacy' ||
      !edge.discovery.capabilities.logging
    )
      return
    const client = factsOf(this.info, this.capabilities)
    const { signal } = new AbortController()
    edge
      .handle({ method: 'logging/setLevel', params: { level }, client, signal, notify: () => {} })
      .catch((thrown) => this.warn(thrown))
  }

  /** Changes that happen now are not announced to us: what is known of the server is forgotten. */
  readonly #away = (): void => {
    this.#isAway = true
    this.#cache?.clear()
    this.directory.clear()
  }

  readonly #back = (): void => {
    if (this.#announceBack()) this.subscriptions.wasAway()
  }

  readonly #announceBack = (): boolean => {
    if (!this.#isAway) return false
    this.#isAway = false
    this.events.emit('reconnect', undefined)
    return true
  }
}

function reconnectOptions({ reconnect }: ClientOptions): ReconnectOptions | undefined {
  if (reconnect === false) return { maxAttempts: 0 }
  return typeof reconnect === 'object' ? reconnect : undefined
}

function createCache(option: ClientOptions['cache']): ResponseCache | undefined {
  if (option === false) return undefined
  return new ResponseCache(typeof option === 'object' ? option : {})
}
