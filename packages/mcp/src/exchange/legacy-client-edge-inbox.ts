import {
  INTERNAL_ERROR,
  INVALID_REQUEST,
  isJsonObject,
  type JsonRpcRequest,
  McpError,
  METHOD_NOT_FOUND,
  ProtocolError,
  type RequestId,
} from '../jsonrpc/index.ts'
import { type ClientCapabilities, samePrincipal } from '../protocol/index.ts'
import type { CallTable } from './call-table.ts'
import { isLog } from './client-edge-logs.ts'
import { canAskForInput, toNotification } from './client-edge-params.ts'
import { readDetachHint } from './detach-hint.ts'
import type { Exchange, Notification } from './exchange.ts'
import type { LegacyCall } from './legacy-client-edge-call.ts'
import type { ExtensionRequests } from './legacy-client-edge-extension.ts'
import type { LegacyListeners } from './legacy-client-edge-listeners.ts'
import {
  answerTo,
  refusal,
  relatedRequestOf,
  relatedTaskOf,
  toQuestion,
} from './legacy-client-edge-questions.ts'
import type { IncomingMessage, Wire } from './wire.ts'

/** A request of the server that could belong to more than one call. */
export interface AmbiguousRequest {
  readonly method: string
  /** The methods of the calls that could own it. */
  readonly calls: readonly string[]
}

export interface InboxOptions {
  wire: Wire
  calls: Pick<CallTable<unknown, LegacyCall>, 'get' | 'values'>
  listeners: LegacyListeners
  /** What was declared in `initialize`. */
  capabilities: ClientCapabilities
  /** Answers requests that the server sends outside any call. */
  ask?: Exchange['ask']
  /** What an extension answers in the author's stead. */
  extension?: ExtensionRequests | undefined
  onAmbiguous?: ((report: AmbiguousRequest) => void) | undefined
  onLog?: ((notification: Notification) => void) | undefined
  /** What a user was sent to a page for is done (2025-11-25, URL mode elicitation). */
  onPageDone(notification: Notification): void
  onNotification?: ((notification: Notification) => void) | undefined
}

/** Requests outside any call that are answered at a time. */
const MAX_ASKING = 64

/** Finds out which call a message of a legacy server belongs to. */
export class LegacyInbox {
  readonly #options: InboxOptions
  /** Requests of the server that belong to no call and are being answered. */
  readonly #asking = new Map<RequestId, AbortController>()

  constructor(options: InboxOptions) {
    this.#options = options
  }

  /** A message on a call's own stream: the transport says whose it is. */
  receiveFor(call: LegacyCall, message: IncomingMessage): void {
    if (!('id' in message)) {
      if (message.method === 'notifications/progress') {
        const owner = this.#options.calls.get(message.params?.progressToken) ?? call
        owner.notify(toNotification(message))
      } else if (!this.#receiveCommon(message)) {
        call.notify(toNotification(message))
      }
    } else if (!this.#answerPing(message) && !this.#options.extension?.take(message)) {
      call.push(message)
    }
  }

  /** A message on a channel that all calls share: stdio, or the GET stream. */
  receive(message: IncomingMessage): void {
    if (!('id' in message)) this.#receiveNotification(message)
    else if (!this.#answerPing(message) && !this.#options.extension?.take(message)) {
      this.#receiveRequest(message)
    }
  }

  /** The connection is gone: what was being asked is moot. */
  close(): void {
    this.#options.extension?.close()
    for (const abort of this.#asking.values()) abort.abort('The connection is closed')
    this.#asking.clear()
  }

  #receiveNotification(message: IncomingMessage): void {
    if (this.#receiveCommon(message)) return
    const notification = toNotification(message)
    if (notification.method === 'notifications/progress') {
      // The call that asked for it may have been answered with a task meanwhile.
      const owner = this.#options.calls.get(notification.params?.progressToken) ?? this.#follower(message)
      owner?.notify(notification)
    } else if (isLog(notification)) {
      const only = single(this.#options.calls.values())
      if (only) only.notify(notification)
      else this.#options.onLog?.(notification)
    } else {
      this.#options.onNotification?.(notification)
    }
  }

  /** Notifications that are handled alike whichever stream they come on. */
  #receiveCommon(message: IncomingMessage): boolean {
    if (message.method === 'notifications/cancelled') {
      this.#withdraw(message.params?.requestId as RequestId)
      return true
    }
    const notification = toNotification(message)
    if (message.method === 'notifications/elicitation/complete') {
      this.#options.onPageDone(notification)
      return true
    }
    const detached = readDetachHint(notification)
    if (!detached) return this.#options.listeners.dispatch(notification)
    this.#options.calls.get(detached.id)?.detach(detached.retryMs)
    return true
  }

  /** Attributes a pushed request only when exactly one call can own it: whom a question is shown to is no guess. */
  #receiveRequest(request: JsonRpcRequest): void {
    const refused = refusal(request, this.#options.capabilities)
    const candidates = this.#candidates(request)
    if (refused) {
      this.#refuse(request, refused)
    } else if (candidates.length === 1) {
      candidates[0]?.push(request)
    } else if (candidates.length === 0) {
      void this.#askConnection(request)
    } else {
      const calls = candidates.map((call) => call.method)
      this.#options.onAmbiguous?.({ method: request.method, calls })
      const message = `${calls.length} calls are in flight and this request names none of them`
      this.#refuse(request, new ProtocolError(INVALID_REQUEST, message))
    }
  }

  /**
   * The calls that a pushed request may belong to. A call that waits for its answer already hardly asks a
   * second time: it gives way to the one that works, unless that would show one user's question to another.
   */
  #candidates(request: JsonRpcRequest): LegacyCall[] {
    const named = this.#options.calls.get(relatedRequestOf(request)) ?? this.#follower(request)
    if (named) return [named]
    const calls = this.#options.calls.values().filter((call) => canAskForInput(call.method))
    const working = calls.filter((call) => call.exchange !== undefined)
    const [only] = working
    const isOneUser = calls.every((call) => samePrincipal(call.principal, only?.principal))
    return working.length === 1 && isOneUser ? working : calls
  }

  /** Questions and progress of a task are delivered while its result is waited for (2025-11-25, Tasks). */
  #follower(message: IncomingMessage): LegacyCall | undefined {
    const taskId = relatedTaskOf(message)
    if (taskId === undefined) return undefined
    for (const call of this.#options.calls.values()) if (call.awaitedTask === taskId) return call
    return undefined
  }

  async #askConnection(request: JsonRpcRequest): Promise<void> {
    const { ask } = this.#options
    if (!ask || this.#asking.size >= MAX_ASKING) {
      const message = ask ? 'Too many requests at a time' : `Nobody here answers ${request.method}`
      this.#refuse(request, new ProtocolError(ask ? INTERNAL_ERROR : METHOD_NOT_FOUND, message))
      return
    }
    const abort = new AbortController()
    this.#asking.set(request.id, abort)
    try {
      const answers = await ask({ input: toQuestion(request) }, abort.signal)
      if (!isJsonObject(answers.input)) throw new McpError('invalid_answer', `No answer to ${request.method}`)
      if (!abort.signal.aborted) this.#send({ id: request.id, result: answerTo(request, answers.input) })
    } catch (thrown) {
      if (!abort.signal.aborted) this.#refuse(request, ProtocolError.from(thrown))
    } finally {
      this.#asking.delete(request.id)
    }
  }

  #withdraw(requestId: RequestId): void {
    this.#options.extension?.withdraw(requestId)
    this.#asking.get(requestId)?.abort('The server withdrew its request')
    for (const call of this.#options.calls.values()) if (call.withdraw(requestId)) return
  }

  #answerPing(request: JsonRpcRequest): boolean {
    if (request.method !== 'ping') return false
    this.#send({ id: request.id, result: {} })
    return true
  }

  #refuse(request: JsonRpcRequest, error: ProtocolError): void {
    this.#send({ id: request.id, error: error.toJsonRpc() })
  }

  /** A reply that cannot be written needs no handling here: the wire reports that it is gone. */
  #send(reply: { id: RequestId } & ({ result: object } | { error: object })): void {
    this.#options.wire.send({ jsonrpc: '2.0', ...reply } as never).catch(() => {})
  }
}

function single<T>(values: Iterable<T>): T | undefined {
  const [first, second] = values
  return second === undefined ? first : undefined
}
