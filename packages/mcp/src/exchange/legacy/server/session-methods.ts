import { INVALID_PARAMS, type JsonRpcRequest } from '../../../jsonrpc/index.ts'
import {
  isLoggingLevel,
  toInitializeResult,
  type LoggingLevel,
  type ServerCapabilities,
} from '../../../protocol/index.ts'
import { complete, methodNotFound, type ClientFacts, type Outcome } from '../../exchange.ts'
import type { RequestContext } from '../../plain-exchange.ts'
import {
  negotiateLegacy,
  refusalOf,
  writeNotification,
  type EndedSession,
  type Served,
} from '../../server/answer.ts'
import { deliverable, discover, readInitialize, refuse, refuseInitialize } from './handshake.ts'
import type { LegacyIo } from './served-call.ts'
import type { LegacySubscriptions } from './subscriptions.ts'

/** The parts of a session that its own methods need. */
export interface SessionMethodsHost {
  readonly served: Served
  readonly io: LegacyIo
  readonly listening: LegacySubscriptions
  client: ClientFacts
  logLevel: LoggingLevel
  /** The session has begun: `initialize` is answered with a result. */
  begin(transport: EndedSession['transport']): void
  /** Sends on the connection, not on any request's stream. */
  send(text: string): void
}

type OwnMethod = (
  methods: SessionMethods,
  message: JsonRpcRequest,
  context: RequestContext,
) => Outcome | Promise<Outcome>

/** The methods that a session answers by itself. The server answers everything else. */
export function ownMethod(method: string): OwnMethod | undefined {
  switch (method) {
    case 'initialize':
      return (methods, message, context) => methods.initialize(message, context)
    case 'ping':
      return () => complete({})
    case 'logging/setLevel':
      return (methods, message, context) => methods.setLevel(message, context)
    case 'resources/subscribe':
    case 'resources/unsubscribe':
      return (methods, message, context) => methods.subscribe(message, context)
  }
  return undefined
}

/** Answers what a session answers by itself: the handshake, the log level and subscriptions to resources. */
export class SessionMethods {
  readonly #host: SessionMethodsHost
  #capabilities: ServerCapabilities | undefined

  constructor(host: SessionMethodsHost) {
    this.#host = host
  }

  async initialize(message: JsonRpcRequest, context: RequestContext): Promise<Outcome> {
    const host = this.#host
    const { protocolVersion, capabilities, clientInfo } = readInitialize(message.params)
    const version = negotiateLegacy(host.served, protocolVersion)
    if (!version) return refuseInitialize(host.served)
    host.client = { version, capabilities, info: clientInfo }
    const discovered = await discover(host.served, host.client, context)
    if (discovered.type !== 'complete') return discovered
    const found = discovered.result.capabilities as ServerCapabilities
    this.#capabilities = deliverable(found, host.io.canPush)
    host.begin(context.headers ? 'http' : 'stdio')
    const facts = { ...discovered.result, capabilities: this.#capabilities }
    return complete(toInitializeResult(facts, version, host.served.info))
  }

  async setLevel(message: JsonRpcRequest, context: RequestContext): Promise<Outcome> {
    const capabilities = await this.#knownCapabilities(context)
    if (!capabilities.logging) return methodNotFound(message.method)
    const level = message.params?.level
    if (!isLoggingLevel(level)) return refuse(INVALID_PARAMS, `Invalid params: unknown log level`)
    this.#host.logLevel = level
    await this.#host.io.changed?.()
    return complete({})
  }

  async subscribe(message: JsonRpcRequest, context: RequestContext): Promise<Outcome> {
    const capabilities = await this.#knownCapabilities(context)
    if (!capabilities.resources?.subscribe) return methodNotFound(message.method)
    const uri = message.params?.uri
    if (typeof uri !== 'string') return refuse(INVALID_PARAMS, 'Invalid params: "uri" must be a string')
    const { listening, io } = this.#host
    const isFollowed = message.method === 'resources/subscribe'
    const outcome = isFollowed ? await listening.subscribe(uri, context) : complete({})
    if (!isFollowed) listening.unsubscribe(uri)
    if (outcome.type === 'complete') await io.changed?.()
    return outcome
  }

  /** Nobody knows what changed before the session was brought back, so its client looks at everything again. */
  async tellMissed(context: RequestContext): Promise<void> {
    const { tools, prompts, resources } = await this.#knownCapabilities(context)
    for (const [kind, offer] of Object.entries({ tools, prompts, resources })) {
      if (offer?.listChanged) this.#tell({ method: `notifications/${kind}/list_changed` })
    }
    for (const uri of this.#host.listening.uris) {
      this.#tell({ method: 'notifications/resources/updated', params: { uri } })
    }
  }

  #tell(notification: Parameters<typeof writeNotification>[0]): void {
    this.#host.send(writeNotification(notification))
  }

  async #knownCapabilities(context: RequestContext): Promise<ServerCapabilities> {
    if (!this.#capabilities) {
      const { served, client, io } = this.#host
      const discovered = await discover(served, client, context)
      const refusal = refusalOf(discovered)
      if (refusal) throw refusal
      const found = discovered.type === 'complete' ? discovered.result.capabilities : {}
      this.#capabilities = deliverable(found as ServerCapabilities, io.canPush)
    }
    return this.#capabilities
  }
}
