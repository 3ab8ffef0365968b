import {
  INVALID_REQUEST,
  type JsonRpcRequest,
  ProtocolError,
  type RequestId,
} from '../../../jsonrpc/index.ts'
import type { ClientCapabilities } from '../../../protocol/index.ts'
import type { CallTable } from '../../pending-requests.ts'
import {
  isLog,
  toNotification,
  canAskForInput,
  type Owner,
  type OwnerOf,
  sameOwner,
  type SharedQuestionListener,
  type UnansweredCalls,
} from '../../client/client-edge.ts'
import { readDetachHint, withoutHints, relatedRequestOf } from '../../message-hints.ts'
import type { Exchange, Notification } from '../../exchange.ts'
import type { LegacyCall } from './call.ts'
import type { ExtensionRequests } from './extension.ts'
import { HeldQuestions } from './held-questions.ts'
import type { LegacyListeners } from './listeners.ts'
import { refusal, relatedTaskOf } from './questions.ts'
import type { TaskTokens } from './task-tokens.ts'
import { onlyWorking, SharedQuestions } from './shared-questions.ts'
import type { IncomingMessage, Wire } from '../../wire.ts'

/** A request of the server that could belong to calls of more than one owner. */
export interface AmbiguousRequest {
  readonly method: string
  readonly calls: readonly string[]
}

export interface InboxOptions {
  wire: Wire
  calls: Pick<CallTable<unknown, LegacyCall>, 'get' | 'values'>
  taskTokens: TaskTokens
  attributor: Attributor
  listeners: LegacyListeners
  capabilities: ClientCapabilities
  ask?: Exchange['ask']
  extension?: ExtensionRequests | undefined
  onAmbiguous?: ((report: AmbiguousRequest) => void) | undefined
  onSharedQuestion?: SharedQuestionListener | undefined
  /** How long a question that may be for several callers waits for their calls to end, in ms. */
  questionPatience?: number | undefined
  onLog?: ((notification: Notification) => void) | undefined
  /** The user has finished on a page (2025-11-25, URL mode elicitation). */
  onPageDone(notification: Notification): void
  onNotification?: ((notification: Notification) => void) | undefined
}

const STATUS_OF_TASK = 'notifications/tasks/status'

/** Brings each message of a legacy server to the call, the listeners or the connection that it belongs to. */
export class LegacyInbox {
  readonly #options: InboxOptions
  readonly #shared: SharedQuestions
  #held: HeldQuestions | undefined

  constructor(options: InboxOptions) {
    this.#options = options
    this.#shared = new SharedQuestions({
      ask: options.ask,
      reply: (reply) => this.#send(reply),
      again: (request) => this.#receiveRequest(request),
    })
  }

  /** A message on a call's own stream: the transport says whose it is, unless the message itself does. */
  receiveFor(call: LegacyCall, message: IncomingMessage): void {
    if ('id' in message) {
      if (!this.#answerPing(message) && !this.#options.extension?.take(message)) call.push(message)
    } else if (message.method === 'notifications/progress') {
      this.#progressOwner(message, call)?.notify(toNotification(message))
    } else if (!this.#receiveCommon(message)) {
      call.notify(toNotification(message))
    }
  }

  /** A message on a channel that all calls share: stdio, or the GET stream. */
  receive(message: IncomingMessage): void {
    if (!('id' in message)) this.#receiveNotification(message)
    else if (!this.#answerPing(message) && !this.#options.extension?.take(message)) {
      this.#receiveRequest(message)
    }
  }

  /** The server has answered a call. */
  ended(call: LegacyCall): void {
    this.#held?.ended(call)
  }

  /** A caller has given its call up. */
  givenUp(call: LegacyCall): void {
    this.#held?.givenUp(call)
  }

  close(): void {
    this.#options.extension?.close()
    this.#shared.close()
    this.#held?.close()
  }

  #receiveNotification(message: IncomingMessage): void {
    if (this.#receiveCommon(message)) return
    const notification = toNotification(message)
    if (notification.method === 'notifications/progress') {
      this.#progressOwner(message, undefined)?.notify(notification)
    } else if (isLog(notification)) this.#receiveLog(message, notification)
    else this.#options.onNotification?.(notification)
  }

  /**
   * Progress names its call by token, also when the call has become a task. Otherwise the request that waits for the
   * task gets it.
   */
  #progressOwner(
    message: IncomingMessage,
    stream: LegacyCall | undefined,
  ): Pick<LegacyCall, 'notify'> | undefined {
    const token = message.params?.progressToken
    const named = this.#options.calls.get(token) ?? this.#options.taskTokens.get(token)
    if (named) return named
    const related = this.#options.attributor.named(message)
    if (related?.to === 'call') return related.call
    return stream?.awaitedTask === undefined ? undefined : stream
  }

  #receiveLog(message: IncomingMessage, notification: Notification): void {
    const { attributor, onLog } = this.#options
    const found = attributor.attribute(message)
    const call =
      found.to === 'call' ? found.call : found.to === 'owner' ? onlyWorking(found.calls) : undefined
    if (call) call.notify(notification)
    else if (onLog) onLog(withoutHints(notification))
    else if (found.to === 'owner') found.calls.find((one) => one.wantsLog(notification))?.notify(notification)
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
    if (message.method === STATUS_OF_TASK) {
      // It may be the task of any caller, whatever stream it comes on.
      this.#options.onNotification?.(notification)
      return true
    }
    const detached = readDetachHint(notification)
    if (!detached) {
      const heard = this.#options.listeners.dispatch(notification)
      if (heard === 'unheard') this.#options.onNotification?.(notification)
      return heard !== undefined
    }
    this.#options.calls.get(detached.id)?.detach(detached.retryMs)
    return true
  }

  /** A question is shown only when all calls that may have caused it have the same owner. The edge never guesses. */
  #receiveRequest(request: JsonRpcRequest): void {
    const refused = refusal(request, this.#options.capabilities)
    if (refused) return this.#shared.refuse(request, refused)
    const found = this.#options.attributor.attribute(request)
    switch (found.to) {
      case 'call':
        if (!found.isNamed) this.#options.onSharedQuestion?.([found.call.origin], false)
        return found.call.push(request)
      case 'owner':
        return this.#askCallers(request, found.calls)
      case 'nobody':
        return this.#shared.askConnection(request)
      case 'strangers':
        return this.#receiveFromStrangers(request, found)
    }
  }

  /** Calls of the same owner, one of which asks. */
  #askCallers(request: JsonRpcRequest, calls: readonly LegacyCall[]): void {
    const [first, ...others] = calls
    if (!first) return this.#shared.askConnection(request)
    this.#options.onSharedQuestion?.(originsOf(calls), false)
    if (others.length === 0) first.push(request)
    else this.#shared.askOwner(request, calls)
  }

  #receiveFromStrangers(
    request: JsonRpcRequest,
    { calls, mayEnd }: Extract<Attribution, { to: 'strangers' }>,
  ): void {
    const { questionPatience: patience = 0, onSharedQuestion } = this.#options
    if (!mayEnd || patience === 0) return this.#refuseStrangers(request, calls)
    // The question is reported at once, so that no more calls come to this connection.
    onSharedQuestion?.([], true)
    this.#held ??= this.#createHeld(patience)
    this.#held.add(request, calls)
  }

  #createHeld(patience: number): HeldQuestions {
    return new HeldQuestions({
      patience,
      isOneOwner: (calls) => this.#options.attributor.isOneOwner(calls),
      deliver: (request, calls) => this.#askCallers(request, calls),
      refuse: (request, calls) => this.#refuseStrangers(request, calls),
    })
  }

  #refuseStrangers(request: JsonRpcRequest, candidates: readonly LegacyCall[]): void {
    const calls = candidates.map((call) => call.method)
    this.#options.onSharedQuestion?.(originsOf(candidates), true)
    this.#options.onAmbiguous?.({ method: request.method, calls })
    const message =
      'Calls of several callers may have caused this request, and it names none of them; a new call may work'
    this.#shared.refuse(request, new ProtocolError(INVALID_REQUEST, message))
  }

  #withdraw(requestId: RequestId): void {
    this.#options.extension?.withdraw(requestId)
    this.#shared.withdraw(requestId)
    this.#held?.withdraw(requestId)
    for (const call of this.#options.calls.values()) if (call.withdraw(requestId)) return
  }

  #answerPing(request: JsonRpcRequest): boolean {
    if (request.method !== 'ping') return false
    this.#send({ id: request.id, result: {} })
    return true
  }

  /** A reply that cannot be written needs no handling here: the wire reports that it is gone. */
  #send(reply: { id: RequestId } & ({ result: object } | { error: object })): void {
    this.#options.wire.send({ jsonrpc: '2.0', ...reply } as never).catch(() => {})
  }
}

export type Attribution =
  | { readonly to: 'call'; readonly call: LegacyCall; readonly isNamed: boolean }
  /** Calls of one owner: the owner can be asked, though the call is not known. */
  | { readonly to: 'owner'; readonly calls: readonly LegacyCall[] }
  /**
   * Calls of several owners, so that nobody may see the question. `mayEnd`: this may change when some of the calls have
   * ended.
   */
  | { readonly to: 'strangers'; readonly calls: readonly LegacyCall[]; readonly mayEnd: boolean }
  | { readonly to: 'nobody' }

const NOBODY: Attribution = { to: 'nobody' }

export interface AttributionOptions {
  calls: Pick<CallTable<unknown, LegacyCall>, 'get' | 'values'>
  unanswered: UnansweredCalls
  ownerOf: OwnerOf
}

/** The one rule by which questions and log messages that name no call reach a caller. */
export class Attributor {
  readonly #options: AttributionOptions

  constructor(options: AttributionOptions) {
    this.#options = options
  }

  /** The call that a message names. Undefined when it names no call; 'nobody' when the call is over. */
  named(message: IncomingMessage): Attribution | undefined {
    const related = relatedRequestOf(message)
    if (related !== undefined) return toCall(this.#options.calls.get(related))
    const taskId = relatedTaskOf(message)
    return taskId === undefined ? undefined : toCall(this.#follower(taskId))
  }

  /** A call that was given up counts like a call in flight, but gets nothing. */
  attribute(message: IncomingMessage): Attribution {
    const named = this.named(message)
    if (named) return named
    const isQuestion = 'id' in message
    const { calls, unanswered, ownerOf } = this.#options
    let owner: Owner | undefined
    let isOnlyOwner = true
    const candidates = calls.values().filter((call) => {
      const one = !isQuestion || canAskForInput(call.method) ? ownerOf(call.origin) : undefined
      if (one && owner) isOnlyOwner &&= sameOwner(one, owner)
      owner ??= one
      return one !== undefined
    })
    const [first] = candidates
    if (!first || !owner) return NOBODY
    const isAlone = !unanswered.hasOther(owner, isQuestion)
    if (!isOnlyOwner || !isAlone) return { to: 'strangers', calls: candidates, mayEnd: isAlone }
    if (candidates.length > 1) return { to: 'owner', calls: candidates }
    return { to: 'call', call: first, isNamed: false }
  }

  /** Whether a question that one of these calls has caused can be shown to their owner. */
  isOneOwner(calls: readonly LegacyCall[]): boolean {
    const { unanswered, ownerOf } = this.#options
    const owners = calls.map((call) => ownerOf(call.origin)!)
    const [first] = owners
    return !first || (owners.every((one) => sameOwner(one, first)) && !unanswered.hasOther(first, true))
  }

  /** Questions and progress of a task are delivered while its result is waited for (2025-11-25, Tasks). */
  #follower(taskId: string): LegacyCall | undefined {
    return this.#options.calls.values().find((call) => call.awaitedTask === taskId)
  }
}

function originsOf(calls: readonly LegacyCall[]): Exchange[] {
  return calls.map(({ origin }) => origin)
}

function toCall(call: LegacyCall | undefined): Attribution {
  return call ? { to: 'call', call, isNamed: true } : NOBODY
}
