import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { GuardVerdict } from '@gantry/mcp/server'
import { toNodeHandler, type NodeHandler } from '@gantry/mcp/server/node'
import type { Exchange, Served } from '@gantry/mcp/exchange'
import type { Gateway } from '../gateway.ts'
import { type Certified, decodePercent } from '../model/index.ts'
import { MISDIRECTED } from '../targets/connected/elsewhere.ts'
import { takeIn } from '../workers/pass-on.ts'
import { type AskedSession, sessionOf } from '../workers/session-router.ts'
import { createHopServer, type HopTls } from './hop-tls.ts'
import { OwnedTarget } from './owned-target.ts'
import { OwnedTasks } from './owned-tasks.ts'
import { TASKS } from './owners.ts'
import { PASSPORT, type Passport, type Passports } from './passport.ts'
import { type AnswerQuestion, answerQuestion, QUESTIONS } from './questions.ts'
import { SESSION } from './session-places.ts'

const PLACE = '/hop/'

export interface HopPortOptions {
  readonly gateway: Gateway
  readonly passports: Passports
  readonly tls: HopTls | undefined
  /** Whether this gateway has this name, and no other gateway can have taken its place. */
  isOwn(id: string): boolean
  readonly sessions: HopSessions
}

/** What comes in for sessions that are here. */
export interface HopSessions {
  /** Answers a request of a session. */
  receive(this: void, request: IncomingMessage, response: ServerResponse, certified?: Certified): void
  /** Whether calls of this session are under way, or of any when none is named. */
  isWorking(this: void, session?: string): boolean
  /** Whether this session is here, and need not be brought back. */
  has(this: void, session: string): boolean
}

/** The port for the other gateways. Nothing is served there without a passport that one of them signed. */
export class HopPort {
  readonly #server: Server
  readonly #options: HopPortOptions
  readonly #handlers = new Map<string, NodeHandler>()
  /** Says what this gateway does; undefined until it can. */
  answer: AnswerQuestion | undefined
  /** Answers to requests of sessions that are under way. */
  readonly #answers = new Set<ServerResponse>()
  #isLeaving = false

  constructor(options: HopPortOptions) {
    this.#options = options
    const { tls, gateway } = options
    this.#server = createHopServer(tls, gateway.log, (request, response) => this.#route(request, response))
    this.#server.on('checkContinue', (request, response) => this.#route(request, response))
  }

  /** Resolves with the port that it listens on. */
  listen(host: string, port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject)
      // Workers would share it otherwise, and a hop would reach any of them.
      this.#server.listen({ port, host, exclusive: true }, () => {
        this.#server.off('error', reject)
        // After this, an error is about a single connection.
        this.#server.on('error', () => {})
        resolve((this.#server.address() as AddressInfo).port)
      })
    })
  }

  #route(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? '/'
    if (path.startsWith(`${SESSION}/`)) return this.#takeSession(path, request, response)
    if (path === QUESTIONS) return this.#takeQuestion(request, response)
    const place = [PLACE, TASKS].find((one) => path.startsWith(one))
    const name = place && decodePercent(path.slice(place.length))
    // Without a passport a caller does not learn which targets and endpoints exist.
    const wanted = place === TASKS ? TASKS + name : name
    const isKnown = name !== undefined && this.#read(request, wanted!) !== undefined
    const handler = isKnown ? this.#handlerAt(place!, name) : undefined
    if (handler) handler(request, response)
    else response.writeHead(isKnown ? 404 : 401).end()
  }

  #read({ headers }: Pick<IncomingMessage, 'headers'>, wanted: string): Passport | undefined {
    return this.#options.passports.read(headers[PASSPORT] as string | undefined, wanted)
  }

  #handlerAt(place: string, name: string): NodeHandler | undefined {
    const { gateway } = this.#options
    const isThere = place === TASKS ? gateway.endpoint(name === '' ? undefined : name) : gateway.target(name)
    if (!isThere) return undefined
    const known = this.#handlers.get(place + name)
    if (known) return known
    const handler = place === TASKS ? this.#handlerOfTasks(name) : this.#handlerOf(name)
    this.#handlers.set(place + name, handler)
    return handler
  }

  #handlerOfTasks(endpoint: string): NodeHandler {
    const read = (header: string | undefined): Passport | undefined =>
      this.#options.passports.read(header, TASKS + endpoint)
    const served = new OwnedTasks(endpoint, this.#options.gateway, ({ headers }) => read(headers?.[PASSPORT]))
    return this.#serve(served, read, `${TASKS}${endpoint}`)
  }

  /** Another gateway has admitted the person who asks. */
  #takeQuestion(request: IncomingMessage, response: ServerResponse): void {
    const passport = this.#options.passports.read(String(request.headers[PASSPORT]), QUESTIONS)
    const verdict = this.#verdictOf(passport)
    if (!verdict.ok) return void response.writeHead(verdict.status ?? 401).end()
    if (!this.answer) return void response.writeHead(503).end()
    answerQuestion(request, response, this.answer).catch(() => response.destroy())
  }

  /** Finds out who the caller is and what it may do, as if the request had come here directly. */
  #takeSession(path: string, request: IncomingMessage, response: ServerResponse): void {
    const read = this.#read(request, SESSION)
    const verdict = this.#verdictOf(read, this.#takes(sessionOf(request), read?.begun))
    if (!verdict.ok) {
      response.writeHead(verdict.status ?? 401).end()
      return
    }
    delete request.headers[PASSPORT]
    takeIn(request)
    request.url = path.slice(SESSION.length)
    response.writeContinue()
    this.#answers.add(response)
    response.once('close', () => this.#answers.delete(response))
    this.#options.sessions.receive(request, response, read?.certified)
  }

  /**
   * A gateway that leaves keeps a session while it has calls under way, because their answers have to come here. After
   * that another gateway has the session.
   */
  #takes(session: AskedSession | undefined, mustBeThere: boolean | undefined): boolean {
    if (!session || session.isStream) return true
    const { isWorking, has } = this.#options.sessions
    return this.#isLeaving ? isWorking(session.id) : !mustBeThere || has(session.id)
  }

  #handlerOf(name: string): NodeHandler {
    const { gateway } = this.#options
    const read = (header: string | undefined): Passport | undefined =>
      this.#options.passports.read(header, name)
    const served = new OwnedTarget(name, {
      info: gateway.info,
      continuations: gateway.services.continuations,
      target: (wanted) => gateway.target(wanted),
      passportOf: ({ headers }: Exchange) => read(headers?.[PASSPORT]),
      onError: (error) => gateway.log('error', String(error), { target: name, event: 'hop-failed' }),
    })
    return this.#serve(served, read, `${PLACE}${name}`)
  }

  #serve(
    served: Served,
    read: (header: string | undefined) => Passport | undefined,
    place: string,
  ): NodeHandler {
    return toNodeHandler(served, {
      guard: ({ headers }) => this.#verdictOf(read(headers[PASSPORT])),
      sealer: this.#options.gateway.sealer,
      place,
      isGated: true,
    })
  }

  /** A gateway that leaves takes only requests about something that has begun here. */
  #verdictOf(
    passport: Passport | undefined,
    isTaken: boolean = !this.#isLeaving || passport?.begun === true,
  ): GuardVerdict {
    if (!passport) return { ok: false, status: 401 }
    const { principal, to } = passport
    if (!this.#options.isOwn(to) || !isTaken) return { ok: false, status: MISDIRECTED }
    return { ok: true, auth: principal && { principal, scopes: [], claims: {} } }
  }

  /** Takes nothing new. What is under way may end, with the answers that it needs, which come by the others. */
  async close(grace: number): Promise<void> {
    this.#isLeaving = true
    const until = Date.now() + grace
    const isBusy = (): boolean =>
      this.#answers.size > 0 ||
      this.#options.gateway.parked > 0 ||
      this.#options.sessions.isWorking() ||
      [...this.#handlers.values()].some(({ service }) => service.inFlight > 0)
    while (isBusy() && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 20))
    const closed = new Promise((resolve) => this.#server.close(resolve))
    for (const handler of this.#handlers.values()) handler.close()
    this.#server.closeAllConnections()
    await closed
  }
}
