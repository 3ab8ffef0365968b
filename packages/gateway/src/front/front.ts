import type { IncomingMessage, RequestListener, Server as HttpServer, ServerResponse } from 'node:http'
import { Server as NetServer } from 'node:net'
import { drainUnreadBody, repeatedHeader, toNodeHandler, type NodeHandler } from '@gantry/mcp/server/node'
import {
  corsHeaders,
  type Guard,
  type HttpMeter,
  isPreflight,
  refuseForeign,
  type GateOptions,
} from '@gantry/mcp/server'
import type { Gateway } from '../gateway.ts'
import type { Endpoint } from '../endpoint.ts'
import type { Door } from './door.ts'
import { certifiedBy, certifiedIn, noteCertified } from '../identity/certificates/certificate-guard.ts'
import { closePort, openPort } from './open-port.ts'
import { createMeter } from './create-meter.ts'
import { type KeptAnswers, keptAnswers } from './kept-answers.ts'
import { type KeptSettings, keptSettings } from './kept-settings.ts'
import { targetGuard } from './target-guard.ts'
import { isMcp, passedOn } from './passed-on.ts'
import { isStatus, StatusPages } from './status-pages.ts'
import type { SessionRouter } from '../workers/session-router.ts'
import type { WorkerPort } from '../workers/worker-port.ts'
import { listenAt, OpenDoorError, type BoundAddress } from './bound-address.ts'
import { INVALID_REQUEST } from '@gantry/mcp/exchange'
import { type Certified, decodePercent, type ServerModel } from '../model/index.ts'

export interface FrontOptions {
  readonly gateway: Gateway
  readonly door: Door
  /** The other processes that share the port. */
  readonly workers?: WorkerPort | undefined
  /** Serves what lies under `/connect`: the accounts of people. */
  readonly portal?:
    | ((request: IncomingMessage, response: ServerResponse, path: string) => boolean)
    | undefined
  /** Serves what lies under `/console` and `/api`. */
  readonly admin?: ((request: IncomingMessage, response: ServerResponse, path: string) => boolean) | undefined
}

type HttpSession = NonNullable<ReturnType<NodeHandler['service']['sessions']['all']['get']>>

/** How long the head of a request may take to arrive. */
const HEADERS_WITHIN = 15_000

/** The gateway's one port: `/mcp`, `/mcp/<target>`, `/sse`, `/health`, `/ready`, `/metrics` and the console. */
export class Front {
  readonly server: HttpServer
  readonly #options: FrontOptions
  readonly #handlers = new Map<string, NodeHandler>()
  /** Counts what callers hold on all endpoints. */
  readonly meter: HttpMeter
  readonly #gate = new HostGate()
  readonly #answers: KeptAnswers | undefined
  readonly #settings: KeptSettings | undefined
  /** The state of the gateway, for load balancers and Prometheus. */
  readonly status: StatusPages
  /** Answers requests for targets that do not exist. */
  #nowhere: NodeHandler | undefined
  /** Set where several gateways share their sessions. */
  sessions: SessionRouter | undefined
  #isDraining = false
  #isClosing = false

  constructor(options: FrontOptions) {
    this.#options = options
    const { log, model } = options.gateway
    const { limits } = model.server
    this.meter = createMeter(limits, log)
    this.#answers = keptAnswers(options.gateway.store)
    this.#settings = keptSettings(options.gateway.store)
    this.status = new StatusPages({
      ...options,
      isDraining: () => this.#isDraining,
      services: () => this.#services,
    })
    const times = {
      headersTimeout: HEADERS_WITHIN,
      requestTimeout: HEADERS_WITHIN + limits.bodyTimeout,
      connectionsCheckingInterval: 2000,
    }
    options.door.follow(() => this.recheck())
    const listener: RequestListener = (request, response) => {
      try {
        this.#route(request, response)
      } catch {
        response.destroy()
      }
    }
    this.server = openPort(model, { times, log, listener })
  }

  /** Resolves with the bound address when it listens; rejects when it cannot, or may not. */
  listen(port: number, host: string): Promise<BoundAddress> {
    return listenAt(this.server, { port, host }, (bound) => this.#openDoor(bound))
  }

  /** A name may lead anywhere, so the address that was really bound decides who can reach the gateway. */
  #openDoor({ address, loopback }: BoundAddress): OpenDoorError | undefined {
    const { host, loopback: promised } = this.#options.gateway.model.server
    if (loopback || (this.#options.door.guard && !promised)) return undefined
    return new OpenDoorError(host, address)
  }

  /**
   * A request that another process passed on. The connection is that process's own and says nothing about the caller,
   * so that process also sends the caller that a client certificate named.
   */
  receive(request: IncomingMessage, response: ServerResponse, certified?: Certified): void {
    noteCertified(request, certified)
    this.#route(request, response, true)
  }

  #route(request: IncomingMessage, response: ServerResponse, isPassedOn = false): void {
    // A client that opens a new connection reaches another process.
    if (this.#isDraining) response.shouldKeepAlive = false
    if (this.#gate.refuses(request, response, this.#options.gateway.model.server)) return
    const { mtls } = this.#options.gateway.model.auth
    if (mtls && !isPassedOn) noteCertified(request, certifiedBy(request))
    const path = (request.url ?? '/').split('?', 1)[0]!
    if (!isPassedOn && this.#goesElsewhere(request, response, path)) return
    if (request.headers.origin !== undefined && isMcp(path)) {
      if (this.#gate.answersPreflight(request, response)) return
    }
    if (path === '/mcp' || path === '/sse') return this.#handler('')!(request, response)
    if (path.startsWith('/mcp/')) {
      return this.#target(decodePercent(path.slice('/mcp/'.length)))(request, response)
    }
    if (this.#options.admin?.(request, response, path)) return
    if (this.#options.door.signIn?.handle(request, response, path)) return
    if (this.#options.portal?.(request, response, path)) return
    drainUnreadBody(request, response)
    if (isStatus(path)) {
      this.status.answer(path, request, response).catch(() => response.writeHead(500).end())
      return
    }
    if (path.startsWith('/.well-known/') && this.#metadata(path, request, response)) return
    response
      .writeHead(404, { 'content-type': 'text/plain' })
      .end('Not found. MCP is at /mcp, one target at /mcp/NAME.\n')
  }

  /** Passes a request on to the process that has its session. True: it was passed on. */
  #goesElsewhere(request: IncomingMessage, response: ServerResponse, path: string): boolean {
    const { workers } = this.#options
    if (!workers && !this.sessions) return false
    const here = (): void => this.#route(request, response, true)
    const certified = certifiedIn(request)
    return passedOn({ workers, sessions: this.sessions, path, here }, { request, response, certified })
  }

  /** Where clients get their tokens (RFC 9728); answered by the guard itself, to every caller. */
  #metadata(path: string, request: IncomingMessage, response: ServerResponse): boolean {
    const { bearer } = this.#options.door
    if (!bearer?.protectedResource.paths.includes(path)) return false
    bearer({ method: request.method ?? 'GET', url: path, headers: {} })
      .then((verdict) => {
        if (!verdict.ok) response.writeHead(verdict.status, verdict.headers).end(verdict.body)
      })
      .catch(() => response.destroy())
    return true
  }

  #target(name: string): NodeHandler {
    const handler = name === '' ? undefined : this.#handler(name)
    this.#nowhere ??= this.#create(this.#options.gateway.endpoint()!, undefined)
    return handler ?? this.#nowhere
  }

  #handler(target: string): NodeHandler | undefined {
    let handler = this.#handlers.get(target)
    // The common endpoint always exists. A target may have been removed.
    if (handler && target === '') return handler
    const served = this.#options.gateway.endpoint(target === '' ? undefined : target)
    if (!served) return undefined
    if (!handler) {
      handler = this.#create(served, target)
      this.#handlers.set(target, handler)
    }
    return handler
  }

  /** `target` is empty for the endpoint of all targets, and undefined for a path that leads nowhere. */
  #create(served: Endpoint, target: string | undefined): NodeHandler {
    const { gateway, workers } = this.#options
    const { limits } = gateway.model.server
    const guard = this.#guardOf(target)
    const handler = toNodeHandler(served, {
      ...(guard && { guard }),
      sealer: gateway.sealer,
      ...(target !== undefined && { place: target }),
      markSessionId: (id) => this.sessions?.mark(id) ?? workers?.mark(id) ?? id,
      meter: this.meter,
      ...(this.#answers && { events: { answers: this.#answers } }),
      sessions: { idleTimeout: limits.sessionIdle, ...(this.#settings && { settings: this.#settings }) },
      ...GATED,
    })
    if (this.#isClosing) handler.service.drain()
    return handler
  }

  #guardOf(target: string | undefined): Guard | undefined {
    const { gateway, door } = this.#options
    return target === '' ? door.guard : targetGuard(target, gateway, door.guard)
  }

  /** Ends callers who are not let in any more, on every endpoint. */
  async recheck(): Promise<void> {
    const checks = [...this.#handlers].map(([target, { service }]) => service.setGuard(this.#guardOf(target)))
    await Promise.all([...checks, this.#nowhere?.service.setGuard(this.#guardOf(undefined))])
  }

  /** Whether requests are under way: of this session of an older client, or of anybody. */
  isWorking(session?: string): boolean {
    if (session === undefined) return this.#services.some(({ inFlight }) => inFlight > 0)
    return (this.session(session)?.session.inFlight ?? 0) > 0
  }

  /** A session of an older client that is in the memory of this process. */
  session(id: string): HttpSession | undefined {
    for (const { sessions } of this.#services) {
      const session = sessions.all.get(id)
      if (session) return session
    }
    return undefined
  }

  get #services(): NodeHandler['service'][] {
    return [...this.#handlers.values()].map(({ service }) => service)
  }

  /** Gives up the sessions of older clients: another process has them from now on. */
  letGo(): void {
    for (const { service } of this.#handlers.values()) service.letGo()
  }

  /** Live services, for the console: sessions and what they do. */
  get handlers(): ReadonlyMap<string, NodeHandler> {
    return this.#handlers
  }

  /** From now on `/ready` tells load balancers to send nothing more. Requests that still come are served. */
  drain(): void {
    this.#isDraining = true
  }

  /**
   * New connections go to other processes. Requests on existing connections are served, and each connection ends with
   * its answer.
   */
  retire(): void {
    this.drain()
    // `Server.close` of HTTP would end idle connections, and lose requests that are just arriving on them.
    NetServer.prototype.close.call(this.server)
  }

  /** Refuses new requests with 503, lets others finish for a while, then answers the rest with errors. */
  async close(grace: number = this.#options.gateway.model.server.shutdownGrace): Promise<void> {
    this.drain()
    this.#isClosing = true
    for (const { service } of this.#handlers.values()) service.drain()
    this.#nowhere?.service.drain()
    await closePort(this.server, grace, {
      isWorking: () => this.isWorking(),
      cutOff: () => {
        for (const handler of this.#handlers.values()) handler.close()
        this.#nowhere?.close()
      },
    })
  }
}

const FIX = 'Names of your own go into "server.allowedHosts" and "server.allowedOrigins".'

/** The one check of `Host` and `Origin`, for every path, against DNS rebinding. */
export class HostGate {
  #server: ServerModel | undefined
  #options: GateOptions = {}

  /** Answers a request that may not come in; false lets it pass. */
  refuses(request: IncomingMessage, response: ServerResponse, server: ServerModel): boolean {
    if (this.#server !== server) {
      this.#server = server
      this.#options = gateOptions(server)
    }
    const repeated = repeatedHeader(request)
    const foreign =
      repeated ?? refuseForeign(request.headers as Record<string, string | undefined>, this.#options)
    if (foreign === undefined) return false
    drainUnreadBody(request, response)
    const error = { code: INVALID_REQUEST, message: `${foreign}. ${FIX}` }
    const body = repeated ?? JSON.stringify({ jsonrpc: '2.0', id: null, error })
    response.writeHead(repeated ? 400 : 403, { 'content-type': 'application/json' }).end(body)
    return true
  }

  /** Lets pages of the configured origins read answers. True when the request only asked whether they may. */
  answersPreflight(request: IncomingMessage, response: ServerResponse): boolean {
    const head = {
      method: request.method ?? 'GET',
      headers: request.headers as Record<string, string | undefined>,
    }
    const cors = corsHeaders(head, this.#options)
    if (!cors) return false
    for (const [name, value] of Object.entries(cors)) response.setHeader(name, value)
    if (!isPreflight(head)) return false
    response.writeHead(204).end()
    return true
  }
}

/** The options of services behind the gate. */
export const GATED: GateOptions = { isGated: true }

/** Which `Host` and `Origin` a request may have: loopback, the address that is listened on, and what is configured. */
function gateOptions({ host, publicUrl, allowedHosts, allowedOrigins }: ServerModel): GateOptions {
  const named = publicUrl === undefined ? [] : [new URL(publicUrl).hostname]
  return {
    allowedHosts: ['localhost', '127.0.0.1', '[::1]', host, ...named, ...allowedHosts],
    allowedOrigins,
  }
}
