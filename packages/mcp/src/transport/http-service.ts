import { cutOff } from '../exchange/cut-off.ts'
import type { Sealer } from '../exchange/index.ts'
import { isModernRequest } from '../exchange/modern-server-edge.ts'
import { modernRevisions } from '../exchange/served.ts'
import { writeError } from '../exchange/write-message.ts'
import {
  INVALID_REQUEST,
  classifyMessage,
  isTooDeep,
  jsonReader,
  TooDeepJson,
  type JsonRpcRequest,
  type ParsedMessage,
  type ReadJson,
  unreadable,
} from '../jsonrpc/index.ts'
import { isRevision, LEGACY_REVISIONS, samePrincipal } from '../protocol/index.ts'
import { DEFAULT_EVENT_LIMITS, type EventLogLimits } from './event-log.ts'
import { refuseForeign, type GateOptions } from './http-gate.ts'
import type { Guard, HttpContext } from './http-guard.ts'
import { answerModern, type AnswerHost, type OpenCalls } from './http-modern.ts'
import { answerStateless } from './http-stateless.ts'
import { Pulse } from './http-pulse.ts'
import type { HttpCall, HttpReply } from './http-reply.ts'
import { HttpSession } from './http-session.ts'
import { DEFAULT_SESSION_LIMITS, HttpSessions, type SessionLimits } from './http-sessions.ts'
import type { HttpServed } from './http-standard-headers.ts'
import { reportSafely } from './report-safely.ts'
import { SessionIds } from './session-ids.ts'
import { SseSession } from './sse-session.ts'

export interface HttpServiceOptions extends GateOptions {
  guard?: Guard
  /** Legacy clients get no session: nothing is kept, and nothing can be pushed to them. */
  statelessLegacy?: boolean
  /** Serves the HTTP+SSE transport of 2024-11-05 on the same endpoint; on unless switched off. */
  sse?: boolean
  sessions?: Partial<SessionLimits>
  /** Makes session ids that survive a restart and work on every replica. */
  sealer?: Sealer
  events?: Partial<EventLogLimits>
  /** Told about bodies that could not be read. */
  onProtocolError?: (error: { code: number; message: string }) => void
  /** Silence after which a stream gets a comment line, in milliseconds; 0 switches it off. */
  keepAlive?: number
}

const SSE_PARAMETER = 'gantry-sse'
const FIFTEEN_SECONDS = 15_000

/** Serves MCP over HTTP in every revision on one endpoint. Runtimes adapt their requests to it. */
export class HttpService {
  readonly served: HttpServed
  readonly #options: HttpServiceOptions
  readonly #sessions: HttpSessions
  readonly #sse = new Map<string, SseSession>()
  readonly #pulse: Pulse
  readonly #eventLimits: EventLogLimits
  readonly #ids: SessionIds
  /** Ends requests under way that belong to no session. */
  readonly #open: OpenCalls = new Set()
  readonly #read: ReadJson

  constructor(served: HttpServed, options: HttpServiceOptions = {}) {
    this.served = served
    this.#options = options
    this.#read = jsonReader(served.numbers)
    this.#sessions = new HttpSessions({ ...DEFAULT_SESSION_LIMITS, ...options.sessions })
    this.#pulse = new Pulse(options.keepAlive ?? FIFTEEN_SECONDS)
    this.#ids = new SessionIds(served, options.sealer)
    this.#eventLimits = { ...DEFAULT_EVENT_LIMITS, ...options.events }
  }

  get sessions(): HttpSessions {
    return this.#sessions
  }

  /** Answers that are being worked on and watched, for tests and health pages. */
  get waiting(): number {
    return this.#pulse.size
  }

  get #modernOnly(): boolean {
    return this.served.revisions?.every((revision) => revision >= '2026-07-28') ?? false
  }

  /** Clients of the HTTP+SSE transport. */
  get sseSessions(): Iterable<SseSession> {
    return this.#sse.values()
  }

  /** Answers one HTTP request. `serverContext` is the embedding application's, for this request only. */
  handle(call: HttpCall, reply: HttpReply, serverContext?: unknown): void | Promise<void> {
    const foreign = refuseForeign(call.headers, this.#options)
    if (foreign) return refuse(reply, 403, foreign)
    const { guard } = this.#options
    if (!guard) return this.#route(call, reply, { serverContext, headers: call.headers })
    return this.#guarded(guard, call, reply, serverContext)
  }

  async #guarded(guard: Guard, call: HttpCall, reply: HttpReply, serverContext: unknown): Promise<void> {
    const verdict = await guard(call)
    if (verdict.ok) {
      const { auth, challenge } = verdict
      return this.#route(call, reply, { serverContext, headers: call.headers, auth, challenge })
    }
    if (verdict.body === undefined) reply.empty(verdict.status, verdict.headers)
    else reply.json(verdict.status, verdict.body, verdict.headers)
  }

  #route(call: HttpCall, reply: HttpReply, context: HttpContext): void {
    switch (call.method) {
      case 'POST':
        return this.#post(call, reply, context)
      case 'GET':
        return this.#get(call, reply, context)
      case 'DELETE':
        return this.#delete(call, reply, context)
      default:
        reply.empty(405, { allow: 'POST, GET, DELETE' })
    }
  }

  #post(call: HttpCall, reply: HttpReply, context: HttpContext): void {
    const type = call.headers['content-type']
    if (type !== undefined && !/^application\/([\w.+-]+\+)?json\b/i.test(type)) {
      return refuse(reply, 415, 'Content-Type must be application/json')
    }
    const { accept } = call.headers
    if (accept !== undefined && !/application\/json|text\/event-stream|\*\/\*|application\/\*/.test(accept)) {
      return refuse(reply, 406, 'Accept must list application/json and text/event-stream')
    }
    let value: unknown
    try {
      value = call.parsedBody === undefined ? this.#read(call.body) : notTooDeep(call.parsedBody)
    } catch (thrown) {
      const { id, ...error } = unreadable(thrown)
      reportSafely(this.#options.onProtocolError, error)
      return reply.json(400, writeError(id, error))
    }
    const sse = sseIdOf(call.url)
    if (sse !== undefined) {
      const session = this.#sse.get(sse)
      const isTheirs = session !== undefined && samePrincipal(session.principal, context.auth?.principal)
      if (!isTheirs) return refuse(reply, 404, 'Session not found: open the stream again')
      session.receive(value, context)
      return reply.empty(202)
    }
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
      return this.#initialize(parsed.message, reply, context)
    }
    this.#withSession(call, reply, context, (session) => session.post(parsed.message, reply, context))
  }

  #host(context: HttpContext): AnswerHost {
    return { served: this.served, context, pulse: this.#pulse, open: this.#open }
  }

  /** The header counts too: a request with it that lacks the envelope is a malformed modern one. */
  #isModern(parsed: ParsedMessage, call: HttpCall): boolean {
    const version = call.headers['mcp-protocol-version']
    const isLegacyVersion = (LEGACY_REVISIONS as readonly (string | undefined)[]).includes(version)
    if (parsed.kind === 'request' && isModernRequest(parsed.message, isLegacyVersion)) return true
    return version !== undefined && !isLegacyVersion
  }

  #initialize(message: JsonRpcRequest, reply: HttpReply, context: HttpContext): void {
    const open = (id: string): void => {
      const session = this.#createSession(id, context)
      if (!session) return refuse(reply, 503, 'Too many sessions')
      session.post(message, reply, context)
    }
    const id = this.#ids.mint(message, context.auth?.principal)
    if (typeof id === 'string') open(id)
    else id.then(open, () => refuse(reply, 500, 'Internal error'))
  }

  #createSession(id: string, context: HttpContext): HttpSession | undefined {
    const session: HttpSession = new HttpSession({
      id,
      served: this.served,
      principal: context.auth?.principal,
      limits: this.#eventLimits,
      pulse: this.#pulse,
      onRejected: () => this.#sessions.end(session),
    })
    return this.#sessions.add(session) ? session : undefined
  }

  /** Finds the session that a request names, brings it back where that is possible, or refuses. */
  #withSession(
    call: HttpCall,
    reply: HttpReply,
    context: HttpContext,
    use: (session: HttpSession) => void,
  ): void {
    const id = call.headers['mcp-session-id']
    if (id === undefined) return refuse(reply, 400, 'Mcp-Session-Id is missing: send "initialize" first')
    const principal = context.auth?.principal
    const known = this.#sessions.find(id, principal)
    if (known) return use(known)
    this.#ids.recover(id, principal).then(
      (facts) => {
        // Two requests may have asked for it at once: the second finds what the first brought back.
        const session = this.#sessions.find(id, principal) ?? (facts && this.#createSession(id, context))
        // 404 tells a legacy client to start anew with "initialize".
        if (!session || !facts) return refuse(reply, 404, 'Session not found: send "initialize" again')
        if (!session.session.negotiated) session.session.restore(facts)
        use(session)
      },
      () => refuse(reply, 404, 'Session not found: send "initialize" again'),
    )
  }

  /** Only 2025-03-26 had batches, and only sessions of that revision may send them. */
  #batch(values: unknown[], call: HttpCall, reply: HttpReply, context: HttpContext): void {
    const id = call.headers['mcp-session-id']
    const session = id === undefined ? undefined : this.#sessions.find(id, context.auth?.principal)
    if (session?.session.client.version !== '2025-03-26' || values.length === 0) {
      return refuse(reply, 400, 'Invalid request: batches are not supported')
    }
    session.batch(values.map(classifyMessage), reply, context)
  }

  #get(call: HttpCall, reply: HttpReply, context: HttpContext): void {
    if (!call.headers.accept?.includes('text/event-stream')) return reply.empty(405, { allow: 'POST' })
    if (call.headers['mcp-session-id'] === undefined) return this.#openSse(call, reply, context)
    this.#withSession(call, reply, context, (session) =>
      session.get(reply, call.headers['last-event-id'], context),
    )
  }

  /** A GET without a session comes from a client of the old transport, which waits for an `endpoint` event. */
  #openSse(call: HttpCall, reply: HttpReply, context: HttpContext): void {
    if (this.#options.sse === false || this.#options.statelessLegacy || this.#modernOnly) {
      return reply.empty(405, { allow: 'POST' })
    }
    if (this.#sse.size >= this.#sessions.max) return refuse(reply, 503, 'Too many sessions')
    const id = crypto.randomUUID()
    const path = call.url.split('?', 1)[0]
    this.#sse.set(
      id,
      new SseSession({
        id,
        principal: context.auth?.principal,
        served: this.served,
        context,
        endpoint: `${path}?${SSE_PARAMETER}=${id}`,
        reply,
        pulse: this.#pulse,
        onEnd: () => this.#sse.delete(id),
      }),
    )
  }

  #delete(call: HttpCall, reply: HttpReply, context: HttpContext): void {
    if (call.headers['mcp-session-id'] === undefined) return reply.empty(405, { allow: 'POST' })
    this.#withSession(call, reply, context, (session) => {
      this.endSession(session)
      reply.empty(204)
    })
  }

  /** Ends a session for good: its id, sealed or not, is not taken up again. */
  endSession(session: HttpSession): void {
    this.#ids.end(session.id)
    this.#sessions.end(session)
  }

  /** Requests under way, of clients of every revision; those that listen are not counted. */
  get inFlight(): number {
    let count = this.#open.size
    for (const { session } of this.#sessions.values()) count += session.inFlight
    for (const session of this.#sse.values()) count += session.inFlight
    return count
  }

  /** Ends every session and stream. Calls under way are answered with an error. */
  close(): void {
    const error = cutOff()
    for (const end of [...this.#open]) end(error)
    this.#sessions.close(error)
    for (const session of [...this.#sse.values()]) session.close(error)
    this.#pulse.stop()
  }
}

/** The old transport's session, by the address that its stream was told to send to. */
function sseIdOf(url: string): string | undefined {
  const at = url.indexOf('?')
  return at === -1 ? undefined : (new URLSearchParams(url.slice(at)).get(SSE_PARAMETER) ?? undefined)
}

function notTooDeep(value: unknown): unknown {
  if (isTooDeep(value)) throw new TooDeepJson(value)
  return value
}

function refuse(reply: HttpReply, status: number, message: string, code: number = INVALID_REQUEST): void {
  reply.json(status, JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } }))
}
