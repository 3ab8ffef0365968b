import { type Budget, senderKey } from '../../../protocol/callers.ts'
import type { Served } from '../../../exchange/server/answer.ts'
import type { ProtocolError } from '../../../jsonrpc/index.ts'
import { samePrincipal } from '../../../protocol/index.ts'
import type { HttpContext, HttpHead, HttpReply } from './reply.ts'
import type { OpenStreams } from './open-streams.ts'
import { refuse, refuseForLoad } from './refusal.ts'
import { tooManySessions } from './sessions.ts'
import { randomId } from './session-ids.ts'
import { SseSession } from './sse-session.ts'

const SSE_PARAMETER = 'gantry-sse'

interface SseSessionsOptions {
  readonly served: Served
  readonly streams: OpenStreams
  readonly budget: Budget
  readonly mark?: ((id: string) => string) | undefined
}

/** All clients of the HTTP+SSE transport of 2024-11-05, by the address that each was told to send to. */
export class SseSessions {
  readonly #served: Served
  readonly #budget: Budget
  readonly #mark: SseSessionsOptions['mark']
  readonly #streams: OpenStreams
  readonly #sessions = new Map<string, SseSession>()

  constructor(options: SseSessionsOptions) {
    this.#served = options.served
    this.#streams = options.streams
    this.#budget = options.budget
    this.#mark = options.mark
  }

  values(): Iterable<SseSession> {
    return this.#sessions.values()
  }

  open(call: HttpHead, reply: HttpReply, context: HttpContext): void {
    const id = randomId(this.#mark)
    // Without a principal it is unknown which streams belong to the same caller.
    const sender = context.auth ? senderKey(context) : id
    const lacking = this.#budget.take(sender, 1)
    if (lacking) return refuseForLoad(reply, tooManySessions(lacking))
    const path = call.url.split('?', 1)[0]
    this.#sessions.set(
      id,
      new SseSession({
        id,
        served: this.#served,
        context,
        endpoint: `${path}?${SSE_PARAMETER}=${id}`,
        reply,
        streams: this.#streams,
        onEnd: () => {
          if (this.#sessions.delete(id)) this.#budget.give(sender, 1)
        },
      }),
    )
  }

  /** Hands a message to the session that the query of its address names. Returns false when it names no session. */
  receive(query: string, value: unknown, reply: HttpReply, context: HttpContext): boolean {
    const id = new URLSearchParams(query).get(SSE_PARAMETER)
    if (id === null) return false
    const session = this.#sessions.get(id)
    if (!session || !samePrincipal(session.principal, context.auth?.principal)) {
      refuse(reply, 404, 'Session not found: open the stream again')
      return true
    }
    session.receive(value, context)
    reply.empty(202)
    return true
  }

  /** Ends them all; calls under way are answered with the error. */
  close(error: ProtocolError): void {
    for (const session of [...this.#sessions.values()]) session.close(error)
  }
}
