import {
  isJsonObject,
  type JsonObject,
  McpError,
  type JsonRpcResponse,
  type JsonRpcResult,
  ResultBody,
} from '../../jsonrpc/index.ts'
import { type Discovery, isKept, LATEST_MODERN, META, type Revision } from '../../protocol/index.ts'
import { CallTable } from '../pending-requests.ts'
import { abortError, cancellationOf } from '../plain-exchange.ts'
import {
  type Cancellation,
  complete,
  type Exchange,
  MAX_ROUNDS,
  type Notification,
  type Outcome,
  type InputRequests,
  type InputRequired,
} from '../exchange.ts'
import {
  type ClientEdge,
  type ClientEdgeOptions,
  canAskForInput,
  createIdMinter,
  isLog,
  wantsLog,
  modernParams,
  progressTokenOf,
  toCallerProgress,
  toNotification,
  type OwnerOf,
  ownerOf,
  UnansweredCalls,
} from '../client/client-edge.ts'
import { readDetachHint, withoutHints, relatedRequestOf } from '../message-hints.ts'
import { playFurtherRounds } from './client-rounds.ts'
import type { IncomingMessage, Wire } from '../wire.ts'
import { received } from '../received-result.ts'

export interface ModernClientEdgeOptions extends ClientEdgeOptions {
  /** The revision that was agreed on; it goes into every envelope. */
  version?: Revision | undefined
  discovery?: Discovery | undefined
  /** Extra HTTP headers of a request (`Mcp-Param-*`), in plain values; the wire encodes them. */
  headersFor?: ((exchange: Exchange) => Record<string, string> | undefined) | undefined
}

const QUESTION = /^(elicitation|sampling|roots)\//

interface Call {
  readonly exchange: Exchange
  /** Aborted when the server ends a subscription with `notifications/cancelled`. */
  readonly ended: AbortController | undefined
}

/** Asks a modern server: every request carries its envelope, and `input_required` is already a value. */
export class ModernClientEdge implements ClientEdge {
  readonly era = 'modern'
  readonly version: Revision
  readonly discovery: Discovery
  onClose: ((reason: Error | undefined) => void) | undefined
  readonly #wire: Wire
  readonly #options: ModernClientEdgeOptions
  readonly #ids: () => number
  /** Requests in flight by id; the id serves as progress token too. */
  readonly #calls = new CallTable<unknown, Call>()
  readonly #unanswered = new UnansweredCalls()

  constructor(wire: Wire, options: ModernClientEdgeOptions = {}) {
    this.#wire = wire
    this.#options = options
    this.#ids = options.ids ?? createIdMinter()
    this.version = options.version ?? LATEST_MODERN
    this.discovery = options.discovery ?? { supportedVersions: [this.version], capabilities: {} }
    wire.setProtocolVersion?.(this.version)
    wire.onMessage = (message) => this.#onSharedMessage(message)
    wire.onLateAnswer = (id) => this.#unanswered.answered(id)
    wire.onClose = (reason) => this.onClose?.(reason)
  }

  readonly handle = async (exchange: Exchange): Promise<Outcome> => {
    const outcome = await this.#send(exchange, exchange.params)
    if (outcome.type !== 'input_required') return outcome
    const limit = this.#options.maxRounds ?? MAX_ROUNDS
    return playFurtherRounds(outcome, exchange, (params) => this.#send(exchange, params), limit)
  }

  /** This era has no notifications from clients besides the cancellations that the edge sends itself. */
  async notify(): Promise<void> {}

  close(): Promise<void> {
    return this.#wire.close()
  }

  async #send(exchange: Exchange, params: JsonObject): Promise<Outcome> {
    const { method } = exchange
    const cancellation = cancellationOf(exchange)
    if (cancellation.aborted) throw abortError(cancellation)
    const id = this.#ids()
    const token = progressTokenOf(exchange) === undefined ? undefined : id
    const ended = method === 'subscriptions/listen' ? new AbortController() : undefined
    const call: Call = { exchange, ended }
    this.#calls.set(id, call)
    exchange.sending?.sent(id)
    try {
      const response = await this.#wire.request(
        {
          jsonrpc: '2.0',
          id,
          method,
          params: modernParams(exchange, params, { version: this.version, token, namesLogs: this.#isShared }),
        },
        {
          origin: exchange,
          takesBytes: this.#options.keepsText,
          signal: this.#signalFor(cancellation, ended),
          cancellation: ended ? undefined : cancellation,
          onMessage: (message) => this.#deliver(id, call, message),
          headers: this.#headers(exchange),
        },
      )
      return modernOutcome(response, method, this.#options.keepsText)
    } catch (thrown) {
      if (cancellation.aborted) {
        this.#cancel(id, exchange)
        throw abortError(cancellation)
      }
      if (ended?.signal.aborted) return complete({ _meta: { [META.subscriptionId]: id } })
      throw McpError.from(thrown)
    } finally {
      this.#calls.delete(id)
    }
  }

  get #isShared(): boolean {
    return this.#wire.kind !== 'http'
  }

  get #ownerOf(): OwnerOf {
    return this.#options.ownerOf ?? ownerOf
  }

  #signalFor(cancellation: Cancellation, ended: AbortController | undefined): AbortSignal | undefined {
    if (ended) return AbortSignal.any([cancellation.signal, ended.signal])
    return this.#wire.takesCancellation ? undefined : cancellation.signal
  }

  #headers(exchange: Exchange): Record<string, string> | undefined {
    const extra = this.#options.extraHeaders?.(exchange)
    const mirrored = this.#options.headersFor?.(exchange)
    return extra && mirrored ? { ...extra, ...mirrored } : (extra ?? mirrored)
  }

  /** On HTTP the aborted request has closed its stream, which is the signal; elsewhere we have to say it. */
  #cancel(id: number, exchange: Exchange): void {
    if (!this.#isShared) return
    const owner = exchange.logLevel === undefined ? undefined : this.#ownerOf(exchange)
    if (owner) this.#unanswered.add(id, { owner, asks: false })
    const params = { requestId: id }
    this.#wire.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params }).catch(() => {})
  }

  #deliver(id: number, call: Call, message: IncomingMessage): void {
    if ('id' in message) return this.#refuse(message.method, [call])
    if (!this.#calls.has(id)) return
    const notification = toNotification(message)
    const detached = readDetachHint(notification)
    if (detached) call.exchange.detach?.(detached.retryMs)
    else if (notification.method !== 'notifications/progress') {
      call.exchange.notify(notification)
    } else if (notification.params?.progressToken === id) {
      const progress = toCallerProgress(notification, call.exchange)
      if (progress) call.exchange.notify(progress)
    }
  }

  /** Modern servers must not send requests, and clients must not answer them (basic/transports). */
  #refuse(method: string, calls: Call[]): void {
    if (!QUESTION.test(method)) return
    const exchanges = calls.map(({ exchange }) => exchange).filter(({ method }) => canAskForInput(method))
    this.#options.onSharedQuestion?.(exchanges, true)
  }

  #onSharedMessage(message: IncomingMessage): void {
    if ('id' in message) return this.#refuse(message.method, this.#calls.values())
    const { method, params } = message
    const meta = params?._meta
    const subscription = isJsonObject(meta) ? meta[META.subscriptionId] : undefined
    const key =
      method === 'notifications/progress'
        ? params?.progressToken
        : method === 'notifications/cancelled'
          ? params?.requestId
          : (readDetachHint(message)?.id ?? subscription)
    const owner = this.#calls.get(key)
    if (owner && method === 'notifications/cancelled') owner.ended?.abort()
    else if (owner) this.#deliver(key as number, owner, message)
    else if (isLog(message)) this.#deliverLog(toNotification(message), relatedRequestOf(message))
    else if (method !== 'notifications/progress') this.#options.onNotification?.(toNotification(message))
  }

  /**
   * Delivers a log message. On a shared channel, a message that names no request is delivered only when all requests
   * have the same owner.
   */
  #deliverLog(notification: Notification, named: unknown): void {
    const call = named === undefined ? this.#onlyCallFor(notification) : this.#calls.get(named)
    const plain = withoutHints(notification)
    if (call) call.exchange.notify(plain)
    else this.#options.onLog?.(plain)
  }

  #onlyCallFor(notification: Notification): Call | undefined {
    const [first, second] = this.#calls.values().filter(({ exchange }) => wantsLog(exchange, notification))
    if (!first || second) return undefined
    const owner = this.#ownerOf(first.exchange)
    return owner && this.#unanswered.hasOther(owner, false) ? undefined : first
  }
}

/** Reads a modern response. A missing `resultType` means complete (MCP 2026-07-28, basic, responses). */
export function modernOutcome(response: JsonRpcResponse, method: string, keepsText = false): Outcome {
  if ('error' in response) return { type: 'error', error: response.error }
  if (keepsText && resultTypeOf(response) === 'complete') {
    const kept = received(response, true)
    if (kept) return kept
  }
  const { resultType, ...result } = response.result
  if (resultType === undefined || resultType === 'complete') return { type: 'complete', result }
  if (resultType === 'input_required') return inputRequired(result, method)
  if (resultType === 'task') {
    if (!isKept('taskId', result.taskId)) throw malformed(method, 'taskId')
    return { type: 'task', task: result }
  }
  throw new McpError('bad_response', `The server answered ${method} with an unknown resultType`, {
    details: { resultType },
  })
}

function resultTypeOf(response: JsonRpcResult): unknown {
  return (response instanceof ResultBody ? response.outline : response.result).resultType
}

function inputRequired(result: JsonObject, method: string): InputRequired {
  const { inputRequests, requestState, ...extra } = result
  const hasRequests = isInputRequests(inputRequests)
  if (inputRequests !== undefined && !hasRequests) throw malformed(method, 'inputRequests')
  if (requestState !== undefined && !isKept('requestState', requestState))
    throw malformed(method, 'requestState')
  if (!hasRequests && requestState === undefined) {
    throw new McpError(
      'bad_response',
      `The server answered ${method} with input_required, but with neither inputRequests nor requestState`,
    )
  }
  return {
    type: 'input_required',
    ...(hasRequests && { inputRequests }),
    ...(requestState !== undefined && { requestState }),
    ...(Object.keys(extra).length > 0 && { extra }),
  }
}

function isInputRequests(value: unknown): value is InputRequests {
  return (
    isJsonObject(value) &&
    Object.values(value).every((request) => isJsonObject(request) && typeof request.method === 'string')
  )
}

function malformed(method: string, member: string): McpError {
  return new McpError('bad_response', `The server answered ${method} with a malformed or very long ${member}`)
}
