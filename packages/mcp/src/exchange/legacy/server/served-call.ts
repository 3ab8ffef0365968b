import {
  McpError,
  type JsonObject,
  type JsonRpcRequest,
  type LateJson,
  type RequestId,
} from '../../../jsonrpc/index.ts'
import type { LoggingLevel } from '../../../protocol/index.ts'
import type { ClientFacts, InputRequests, InputResponses, Notification, Outcome } from '../../exchange.ts'
import {
  callCapabilities,
  detachHint,
  namedLog,
  RELATED_REQUEST,
  paramsFor,
  wantsDetachHint,
} from '../../message-hints.ts'
import { PlainExchange, type RequestContext } from '../../plain-exchange.ts'
import { IncreasingProgress } from '../../server/announcements.ts'
import {
  type RequestRefusal,
  respondSafely,
  type ResponseFacts,
  type Served,
  writeNotification,
} from '../../server/answer.ts'
import { playRounds } from '../../server/play-rounds.ts'
import type { Asking } from './questions.ts'

export interface LegacyIo {
  /** Sends one of our notifications or requests. `relatedTo` names the client request it belongs to. */
  send(text: string, relatedTo: RequestId | undefined): void
  /** Lets go of a request's stream; the client comes back for the answer (2025-11-25, SEP-1699). */
  detach?(relatedTo: RequestId, retry: number | undefined): void
  /** Whether our requests, and messages that belong to no request, can be delivered. */
  readonly canPush: boolean
  /** Told before the answer to a request that was refused: HTTP has a status for it. */
  refused?(relatedTo: RequestId, refusal: RequestRefusal): void
  /** Sends an answer as the bytes that it is made of; false when only a text can be sent. */
  sendBytes?(relatedTo: RequestId, pieces: readonly Uint8Array[]): boolean
  /** Sends an answer that has long text in it; false when it is sent as text. */
  sendLong?(outcome: Outcome, facts: ResponseFacts): boolean
  /** Sends an answer that is read while it is sent; false when it has to be read first. */
  sendLate?(relatedTo: RequestId, message: LateJson): boolean
  /** True while the reader of such messages is far behind: progress and log messages are dropped then. */
  isCongested?(relatedTo: RequestId | undefined): boolean
  /** The client has asked for other settings. Its request is answered when this has ended. */
  changed?(): Promise<void>
}

/** The parts of a session that a call needs. */
export interface CallHost {
  readonly id: string
  readonly served: Served
  readonly client: ClientFacts
  readonly logLevel: LoggingLevel
  readonly io: LegacyIo
  ask(
    exchange: PlainExchange,
    requests: InputRequests,
    asking: Omit<Asking, 'caller'>,
  ): Promise<InputResponses>
}

/** One request of a legacy client under way. It has an exchange for each round of questions. */
export class ServedCall {
  exchange: PlainExchange | undefined
  aborted = false
  /** Answers it now, whatever its handler goes on doing. */
  settle: ((outcome: Outcome) => void) | undefined
  /** Ends the wait for the answer. */
  #release: (() => void) | undefined
  readonly #host: CallHost
  readonly #message: JsonRpcRequest
  readonly #context: RequestContext
  #progress: IncreasingProgress | undefined

  constructor(host: CallHost, message: JsonRpcRequest, context: RequestContext) {
    this.#host = host
    this.#message = message
    this.#context = context
  }

  /** The call is answered later. */
  wait(settle: (outcome: Outcome) => void, release: () => void): void {
    this.settle = settle
    this.#release = release
  }

  /** A cancelled request is over at once, whatever its handler goes on doing. */
  abort(reason: unknown): void {
    if (this.aborted) return
    this.aborted = true
    this.exchange?.abort(reason)
    this.#release?.()
  }

  /** Runs the handler, and asks the client each question of the handler. */
  run(): Outcome | Promise<Outcome> {
    const { served } = this.#host
    const params = paramsFor(served, this.#message)
    const exchange = this.#open(params)
    const outcome = respondSafely(served, exchange)
    if (!(outcome instanceof Promise) && outcome.type !== 'input_required') return outcome
    return playRounds(outcome, {
      // Each round has its own exchange: what is asked in it is cancelled with it.
      ask: exchange.ask && ((requests) => this.exchange!.ask!(requests, this.exchange!.signal)),
      capabilities: exchange.client.capabilities,
      again: (answered) => {
        this.exchange!.finish()
        const next = this.#open({ ...params, ...answered })
        if (this.aborted) next.abort('cancelled')
        return respondSafely(served, next)
      },
    })
  }

  #open(params: JsonObject): PlainExchange {
    const host = this.#host
    const { auth, serverContext, headers, peer } = this.#context
    const exchange: PlainExchange = new PlainExchange({
      method: this.#message.method,
      id: this.#message.id,
      params,
      client: clientOf(host.client, params),
      logLevel: host.logLevel,
      auth,
      serverContext,
      headers,
      peer,
      session: host,
      notify: (notification) => this.#notify(notification),
      detach: this.#detachOf(params),
      ask: host.io.canPush
        ? async (requests, signal = exchange.signal) => {
            if (!exchange.open) throw new McpError('closed', 'The request is over: nobody can be asked')
            return host.ask(exchange, requests, { signal, relatedTo: this.#message.id, send: this.#send })
          }
        : undefined,
    })
    this.exchange = exchange
    return exchange
  }

  readonly #send = (text: string): void => this.#host.io.send(text, this.#message.id)

  #notify(notification: Notification): void {
    const { client, io } = this.#host
    const { id } = this.#message
    this.#progress ??= new IncreasingProgress()
    if (io.isCongested?.(id) || !this.#progress.admits(notification)) return
    const shaped = shape(notification, client)
    // A client that relays for several callers and declares it learns which request a log message belongs to.
    const wantsNames = client.capabilities.experimental?.[RELATED_REQUEST] !== undefined
    this.#send(writeNotification(wantsNames ? namedLog(shaped, id) : shaped))
  }

  #detachOf(params: JsonObject): ((retryMs?: number) => void) | undefined {
    const { io } = this.#host
    const { id } = this.#message
    if (io.detach) return (retryMs) => io.detach!(id, retryMs)
    if (!wantsDetachHint(params)) return undefined
    return (retryMs) => this.#send(writeNotification(detachHint(id, retryMs)))
  }
}

function clientOf(client: ClientFacts, params: JsonObject): ClientFacts {
  const left = callCapabilities(client.capabilities, params)
  return left === client.capabilities ? client : { ...client, capabilities: left }
}

/** Progress messages came with 2025-03-26. */
function shape(notification: Notification, { version }: ClientFacts): Notification {
  if (version > '2024-11-05' || notification.method !== 'notifications/progress') return notification
  const { message: _message, ...params } = notification.params ?? {}
  return { method: notification.method, params }
}
