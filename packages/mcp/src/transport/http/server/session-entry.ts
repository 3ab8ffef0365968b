import { type Budget, senderKey } from '../../../protocol/callers.ts'
import type { Served } from '../../../exchange/server/answer.ts'
import type { KeptSettings } from '../../../exchange/legacy/server/session-settings.ts'
import type { JsonRpcRequest } from '../../../jsonrpc/index.ts'
import type { EventLogLimits } from './event-log.ts'
import type { HttpContext, HttpCall, HttpReply } from './reply.ts'
import type { OpenStreams } from './open-streams.ts'
import { refuse, refuseForLoad } from './refusal.ts'
import { HttpSession } from './session.ts'
import type { HttpSessions } from './sessions.ts'
import type { SessionIds } from './session-ids.ts'

export interface SessionEntryOptions {
  readonly served: Served
  readonly sessions: HttpSessions
  readonly ids: SessionIds
  readonly events: EventLogLimits
  /** Counts what sessions keep for clients that come back. */
  readonly kept: Budget
  readonly streams: OpenStreams
  readonly settings: KeptSettings | undefined
}

/** Finds the legacy session of a request: `initialize` opens a session, and every other request names its session. */
export class SessionEntry {
  readonly #options: SessionEntryOptions

  constructor(options: SessionEntryOptions) {
    this.#options = options
  }

  initialize(message: JsonRpcRequest, reply: HttpReply, context: HttpContext): void {
    const open = (id: string): void => {
      const session = this.#createSession(id, reply, context)
      session?.post(message, reply, context)
    }
    const id = this.#options.ids.mint(message, context.auth?.principal)
    if (typeof id === 'string') open(id)
    else id.then(open, () => refuse(reply, 500, 'Internal error'))
  }

  /** Undefined when there is no room, which is answered then. */
  #createSession(id: string, reply: HttpReply, context: HttpContext): HttpSession | undefined {
    const { served, sessions, events, kept, streams, settings } = this.#options
    const session: HttpSession = new HttpSession({
      id,
      served,
      principal: context.auth?.principal,
      // Without a principal it is unknown which sessions belong to the same caller.
      sender: context.auth ? senderKey(context) : id,
      limits: events,
      events: kept,
      streams,
      settings,
      onRejected: () => sessions.end(session),
      onRevoked: () => void this.end(session),
    })
    const refusal = sessions.add(session)
    if (refusal) refuseForLoad(reply, refusal)
    return refusal ? undefined : session
  }

  /** Finds the session that a request names, brings it back where that is possible, or refuses. */
  find(call: HttpCall, reply: HttpReply, context: HttpContext, use: (session: HttpSession) => void): void {
    const id = call.headers['mcp-session-id']
    if (id === undefined) return refuse(reply, 400, 'Mcp-Session-Id is missing: send "initialize" first')
    const principal = context.auth?.principal
    const known = this.#options.sessions.find(id, principal)
    if (known) return use(known)
    // 404 tells a legacy client to start anew with "initialize".
    const lost = (): void => refuse(reply, 404, 'Session not found: send "initialize" again')
    const { ids, settings } = this.#options
    const recovered = ids.recover(id, principal).then(async (facts) => ({
      facts,
      kept: facts && (await settings?.find(id)),
    }))
    recovered.then(({ facts, kept }) => {
      // It may have been ended just now.
      if (!facts || kept === 'ended' || ids.isEnded(id)) return lost()
      // Two requests may have asked for it at once: the second finds what the first brought back.
      const session = this.#options.sessions.find(id, principal) ?? this.#createSession(id, reply, context)
      if (!session) return
      if (!session.session.negotiated) session.session.restore(facts, kept, context)
      use(session)
    }, lost)
  }

  /** Ends a session for good: its id, sealed or not, is not taken up again. Resolves when all processes know it. */
  end(session: HttpSession): Promise<void> {
    this.#options.ids.end(session.id)
    this.#options.sessions.end(session)
    return session.end()
  }
}
