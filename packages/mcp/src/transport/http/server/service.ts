import { parseDuration } from '../../../protocol/parse-duration.ts'
import { cutOff, modernRevisions, type Served, writeError } from '../../../exchange/server/answer.ts'
import { senderKey } from '../../../protocol/callers.ts'
import { isModernRequest } from '../../../exchange/modern/server-edge.ts'
import { readBatch } from '../../../exchange/server/read-batch.ts'
import {
  classifyMessage,
  isTooDeep,
  jsonReader,
  tooDeep,
  type ParsedMessage,
  type ReadJson,
  unreadable,
} from '../../../jsonrpc/index.ts'
import { isRevision, LEGACY_REVISIONS, requireKnownOptions } from '../../../protocol/index.ts'
import { DEFAULT_EVENT_LIMITS } from './event-log.ts'
import { acceptsEventStream, corsHeaders, isPreflight, refuseForeign } from './request-headers.ts'
import type { Guard, HttpContext, HttpBody, HttpCall, HttpReply } from './reply.ts'
import { HttpMeter } from './meter.ts'
import { answerModern, type AnswerHost } from './modern.ts'
import { answerStateless } from './stateless.ts'
import { isLetInBy, OpenStreams } from './open-streams.ts'
import { refuse, refuseWhileStopping, requestIn } from './refusal.ts'
import type { HttpSession } from './session.ts'
import { HANDLER_OPTIONS, type HttpServiceOptions } from './service-options.ts'
import { SessionEntry } from './session-entry.ts'
import { DEFAULT_SESSION_LIMITS, HttpSessions } from './sessions.ts'
import { reportSafely } from '../../reports.ts'
import { SessionIds } from './session-ids.ts'
import type { SseSession } from './sse-session.ts'
import { SseSessions } from './sse-sessions.ts'

/** Serves MCP over HTTP in every revision on one endpoint. Runtimes adapt their requests to it. */
export class HttpService {
  readonly served: Served
  readonly #options: HttpServiceOptions
  readonly #sessions: HttpSessions
  readonly #sse: SseSessions
  readonly #entry: SessionEntry
  readonly #streams: OpenStreams
  #guard: Guard | undefined
  #isDraining = false
  readonly #read: ReadJson
  readonly meter: HttpMeter

  constructor(served: Served, options: HttpServiceOptions = {}) {
    requireKnownOptions('handler', HANDLER_OPTIONS, options)
    this.served = served
    this.#options = options
    this.#guard = options.guard
    this.#read = jsonReader(served.numbers)
    const { idleTimeout, maxSessions, settings } = { ...DEFAULT_SESSION_LIMITS, ...options.sessions }
    const sessions = { perCaller: Math.ceil(maxSessions / 2), total: maxSessions }
    const { maxBodyBytes } = options
    this.meter =
      options.meter ??
      new HttpMeter({ sessions, ...options.limits, ...(maxBodyBytes !== undefined && { maxBodyBytes }) })
    this.#sessions = new HttpSessions(parseDuration(idleTimeout), this.meter.sessions)
    this.#streams = new OpenStreams(parseDuration(options.keepAlive ?? '15s'))
    this.#sse = new SseSessions({
      served,
      streams: this.#streams,
      budget: this.meter.sessions,
      mark: options.markSessionId,
    })
    this.#entry = new SessionEntry({
      served,
      sessions: this.#sessions,
      ids: new SessionIds({
        served,
        sealer: options.sealer,
        place: options.place,
        mark: options.markSessionId,
      }),
      events: { ...DEFAULT_EVENT_LIMITS, ...options.events },
      kept: this.meter.events,
      streams: this.#streams,
      settings: options.sealer && settings,
    })
  }

  get sessions(): HttpSessions {
    return this.#sessions
  }

  /** Answers that are being worked on and watched, for tests and health pages. */
  get waiting(): number {
    return this.#streams.waiting
  }

  get #modernOnly(): boolean {
    return this.served.revisions?.every((revision) => revision >= '2026-07-28') ?? false
  }

  /** Clients of the HTTP+SSE transport. */
  get sseSessions(): Iterable<SseSession> {
    return this.#sse.values()
  }

  /** Answers one HTTP request. `serverContext` is a value of the application, for this request only. */
  handle(call: HttpCall, reply: HttpReply, serverContext?: unknown): void | Promise<void> {
    if (this.#options.isGated) return this.#admit(call, reply, serverContext)
    const foreign = refuseForeign(call.headers, this.#options)
    if (foreign) return refuse(reply, 403, foreign)
    const cors = call.headers.origin === undefined ? undefined : corsHeaders(call, this.#options)
    if (cors) reply.addHeaders(cors)
    if (cors && isPreflight(call)) return reply.empty(204)
    return this.#admit(call, reply, serverContext)
  }

  #admit(call: HttpCall, reply: HttpReply, serverContext: unknown): void | Promise<void> {
    const guard = this.#guard
    if (guard) return this.#guarded(guard, call, reply, serverContext)
    const { headers, peer } = call
    return this.#route(call, reply, { head: call, serverContext, headers, peer })
  }

  /** Replaces the guard. Streams and requests end when it would no longer let their callers in alike. */
  setGuard(guard: Guard | undefined): Promise<void> {
    this.#guard = guard
    return this.#streams.recheck(guard)
  }

  async #guarded(guard: Guard, call: HttpCall, reply: HttpReply, serverContext: unknown): Promise<void> {
    const verdict = await guard(call)
    // The guard was replaced while it was at work: only the new guard counts.
    if (this.#guard !== guard) return this.#admit(call, reply, serverContext)
    if (verdict.ok) {
      const { auth, challenge } = verdict
      const { headers, peer } = call
      return this.#route(call, reply, { head: call, serverContext, headers, peer, auth, challenge })
    }
    if (verdict.body === undefined) reply.empty(verdict.status, verdict.headers)
    else reply.json(verdict.status, verdict.body, verdict.headers)
  }

  #route(call: HttpCall, reply: HttpReply, context: HttpContext): void {
    const sender = senderKey(context)
    reply.countFor(sender)
    switch (call.method) {
      case 'POST':
        return this.#post(sender, call, reply, context)
      case 'GET':
        return this.#get(call, reply, context)
      case 'DELETE':
        return this.#delete(call, reply, context)
      default:
        reply.empty(405, { allow: 'POST, GET, DELETE' })
    }
  }

  #post(sender: string, call: HttpCall, reply: HttpReply, context: HttpContext): void {
    const type = call.headers['content-type']
    if (type !== undefined && !/^application\/([\w.+-]+\+)?json\b/i.test(type)) {
      return refuse(reply, 415, 'Content-Type must be application/json')
    }
    const { accept } = call.headers
    if (accept !== undefined && !/application\/json|text\/event-stream|\*\/\*|application\/\*/.test(accept)) {
      return refuse(reply, 406, 'Accept must list application/json and text/event-stream')
    }
    const guard = this.#guard
    call.readBody(sender, (body) => {
      if (this.#guard === guard) return this.#received(body, call, reply, context)
      // The guard was replaced while the body came in.
      const goOn = (isLetIn: boolean): void =>
        isLetIn ? this.#received(body, call, reply, context) : reply.empty(401)
      isLetInBy(this.#guard, context).then(goOn, () => reply.empty(401))
    })
  }

  #received(body: HttpBody, call: HttpCall, reply: HttpReply, context: HttpContext): void {
    let value: unknown
    try {
      value = 'text' in body ? this.#read(body.text) : notTooDeep(body.value)
    } catch (thrown) {
      const { id, ...error } = unreadable(thrown)
      reportSafely(this.#options.onProtocolError, error)
      return reply.json(400, writeError(id, error))
    }
    // A session with calls under way cannot be anywhere else, so it is served until they have ended.
    const id = call.headers['mcp-session-id']
    if (this.#isDraining && !this.#sessions.find(id, context.auth?.principal)?.session.inFlight) {
      const refused = requestIn(value)
      if (refused) return refuseWhileStopping(reply, refused.id)
    }
    const query = call.url.indexOf('?')
    if (query !== -1 && this.#sse.receive(call.url.slice(query), value, reply, context)) return
    if (Array.isArray(value)) return this.#batch(value, call, reply, context)
    const parsed = classifyMessage(value)
    if (parsed.kind === 'invalid') return reply.json(400, JSON.stringify(parsed.reply))
    this.#message(parsed, call, reply, context)
  }

  #message(
    parsed: Exclude<ParsedMessage, { kind: 'invalid' }>,
    call: HttpCall,
    reply: HttpReply,
    context: HttpContext,
  ): void {
    const version = call.headers['mcp-protocol-version']
    // In a session it is a legacy client's mistake, which the words about a missing envelope would not explain.
    if (version !== undefined && call.headers['mcp-session-id'] !== undefined && !isRevision(version)) {
      return refuse(
        reply,
        400,
        `Unsupported protocol version in MCP-Protocol-Version: ${version.slice(0, 100)}`,
      )
    }
    const isModern = modernRevisions(this.served).length > 0 && this.#isModern(parsed, call)
    const isInitialize = parsed.kind === 'request' && parsed.message.method === 'initialize'
    if (isModern || (this.#modernOnly && !isInitialize)) {
      if (parsed.kind !== 'request') return reply.empty(202)
      return answerModern(parsed.message, call, reply, this.#host(context))
    }
    if (this.#modernOnly || this.#options.statelessLegacy) {
      return answerStateless(parsed, call, reply, this.#host(context))
    }
    if (parsed.kind === 'request' && parsed.message.method === 'initialize') {
      return this.#entry.initialize(parsed.message, reply, context)
    }
    this.#entry.find(call, reply, context, (session) => session.post(parsed.message, reply, context))
  }

  #host(context: HttpContext): AnswerHost {
    return { served: this.served, context, streams: this.#streams }
  }

  /** The header counts too: a request with it that lacks the envelope is a malformed modern one. */
  #isModern(parsed: ParsedMessage, call: HttpCall): boolean {
    const version = call.headers['mcp-protocol-version']
    const isLegacyVersion = (LEGACY_REVISIONS as readonly (string | undefined)[]).includes(version)
    if (parsed.kind === 'request' && isModernRequest(parsed.message, isLegacyVersion)) return true
    return version !== undefined && !isLegacyVersion
  }

  #batch(values: unknown[], call: HttpCall, reply: HttpReply, context: HttpContext): void {
    const id = call.headers['mcp-session-id']
    const session = id === undefined ? undefined : this.#sessions.find(id, context.auth?.principal)
    const batch = readBatch(values, session?.session.client.version)
    if (typeof batch === 'string') return refuse(reply, 400, batch)
    session!.batch(batch, reply, context)
  }

  #get(call: HttpCall, reply: HttpReply, context: HttpContext): void {
    if (!acceptsEventStream(call.headers.accept)) return reply.empty(405, { allow: 'POST' })
    if (this.#isDraining) return refuseWhileStopping(reply)
    if (call.headers['mcp-session-id'] === undefined) return this.#openSse(call, reply, context)
    this.#entry.find(call, reply, context, (session) =>
      session.get(reply, call.headers['last-event-id'], context),
    )
  }

  /** A GET without a session comes from a client of the old transport, which waits for an `endpoint` event. */
  #openSse(call: HttpCall, reply: HttpReply, context: HttpContext): void {
    if (this.#options.sse === false || this.#options.statelessLegacy || this.#modernOnly) {
      return reply.empty(405, { allow: 'POST' })
    }
    this.#sse.open(call, reply, context)
  }

  #delete(call: HttpCall, reply: HttpReply, context: HttpContext): void {
    if (call.headers['mcp-session-id'] === undefined) return reply.empty(405, { allow: 'POST' })
    this.#entry.find(call, reply, context, (session) => {
      void this.endSession(session).then(() => reply.empty(204))
    })
  }

  /** Ends a session for good: its id, sealed or not, is not taken up again. Resolves when all processes know it. */
  endSession(session: HttpSession): Promise<void> {
    return this.#entry.end(session)
  }

  /** Requests under way, except requests that listen. */
  get inFlight(): number {
    let count = this.#streams.inFlight
    for (const { session } of this.#sessions.all.values()) count += session.inFlight
    for (const session of this.#sse.values()) count += session.inFlight
    return count
  }

  /**
   * New requests are refused with 503; those under way go on, with the answers and cancellations they need. Streams
   * that only listen end, with a hint when to come back.
   */
  drain(): void {
    this.#isDraining = true
    this.#streams.drain()
    for (const session of this.#sessions.all.values()) session.drain()
  }

  /** Closes the sessions of older clients. Clients that come back go on by their ids, here or at another process. */
  letGo(): void {
    const error = cutOff()
    this.#sessions.close(error)
    this.#sse.close(error)
  }

  /** Ends every session and stream. Calls under way are answered with an error. */
  close(): void {
    const error = cutOff()
    this.#streams.close(error)
    this.#sessions.close(error)
    this.#sse.close(error)
  }
}

function notTooDeep(value: unknown): unknown {
  if (isTooDeep(value)) throw tooDeep(value)
  return value
}
