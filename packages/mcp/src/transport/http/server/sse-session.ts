import type { LegacySession, RequestContext, Served } from '../../../exchange/index.ts'
import type { Principal } from '../../../protocol/index.ts'
import { ServerConnection } from '../../../exchange/server/server-connection.ts'
import type { ProtocolError } from '../../../jsonrpc/index.ts'
import { type HttpContext, KEEP_ALIVE, STREAM_HEADERS, toEvent, type HttpReply } from './reply.ts'
import { NEVER, type OpenStream, type OpenStreams } from './open-streams.ts'

/** One client of the HTTP+SSE transport of 2024-11-05: everything we say goes out on its GET stream. */
export class SseSession {
  readonly id: string
  readonly principal: Principal | undefined
  readonly #connection: ServerConnection
  readonly #end: (error?: ProtocolError) => void

  constructor(options: {
    id: string
    served: Served
    context: HttpContext
    endpoint: string
    reply: HttpReply
    streams: OpenStreams
    onEnd: () => void
  }) {
    this.id = options.id
    this.principal = options.context.auth?.principal
    const sink = options.reply.stream({ ...STREAM_HEADERS })
    sink.write(`event: endpoint\ndata: ${options.endpoint}\n\n`)
    this.#connection = new ServerConnection(options.served, {
      send: (text) => void sink.write(`event: message\n${toEvent(text)}`),
      context: options.context,
      isCongested: () => sink.isBehind,
      refusesToHold: (length) => options.reply.refusesToHold(length),
    })
    sink.onDrain = () => this.#connection.caughtUp()
    const { context, streams } = options
    const stream: OpenStream = {
      place: -1,
      until: NEVER,
      waitsSince: NEVER,
      context,
      keepAlive: () => sink.write(KEEP_ALIVE),
      end: () => this.#end(),
    }
    streams.expire(stream)
    streams.wait(stream)
    this.#end = (error) => {
      streams.delete(stream)
      this.#connection.close('disconnected', error)
      options.onEnd()
      // The last answers are written by the end of this turn.
      if (error) setTimeout(() => sink.end())
      else sink.end()
    }
    options.reply.onAbort(() => this.#end())
  }

  /** The facts of the client. */
  get session(): LegacySession {
    return this.#connection.legacy
  }

  get inFlight(): number {
    return this.#connection.inFlight
  }

  /** The token of this message counts, not the token with which the stream was opened. */
  receive(value: unknown, context: RequestContext): void {
    this.#connection.receive(value, context)
  }

  /** Calls under way get the error as their answer; without an error they get no answer. */
  close(error?: ProtocolError): void {
    this.#end(error)
  }
}
