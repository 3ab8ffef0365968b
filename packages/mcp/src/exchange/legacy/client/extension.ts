import { INTERNAL_ERROR, type JsonRpcRequest, ProtocolError, type RequestId } from '../../../jsonrpc/index.ts'
import { type ClientCapabilities, type Revision, shapeTask } from '../../../protocol/index.ts'
import { type Exchange, failure, type Outcome } from '../../exchange.ts'
import { isQuestion, refusal } from './questions.ts'
import type { Wire } from '../../wire.ts'

/** Answers a request of a server, or leaves it to other handlers. */
export type RequestAnswer = (exchange: Exchange) => Outcome | Promise<Outcome> | undefined

export interface ExtensionRequestsOptions {
  wire: Wire
  version: Revision
  capabilities: ClientCapabilities
  ask?: Exchange['ask']
  answer: RequestAnswer
}

/** Requests at a time. */
const MAX_OPEN = 64

/** Answers requests of a legacy server that an extension of the client knows. */
export class ExtensionRequests {
  readonly #options: ExtensionRequestsOptions
  readonly #open = new Map<RequestId, AbortController>()
  readonly #session = crypto.randomUUID()

  constructor(options: ExtensionRequestsOptions) {
    this.#options = options
  }

  /** Returns false when the extension does not know the request. */
  take(request: JsonRpcRequest): boolean {
    if (isQuestion(request) && refusal(request, this.#options.capabilities)) return false
    const abort = new AbortController()
    const outcome = this.#open.size < MAX_OPEN ? this.#answer(request, abort.signal) : tooMany()
    if (outcome === undefined) return false
    this.#open.set(request.id, abort)
    Promise.resolve(outcome)
      .catch((thrown: unknown) => failure(ProtocolError.from(thrown), thrown))
      .then((settled) => this.#reply(request.id, settled, abort))
    return true
  }

  withdraw(id: RequestId): void {
    this.#open.get(id)?.abort('The server withdrew its request')
  }

  close(): void {
    for (const abort of this.#open.values()) abort.abort('The connection is closed')
  }

  #answer(request: JsonRpcRequest, signal: AbortSignal): Outcome | Promise<Outcome> | undefined {
    try {
      return this.#options.answer(this.#exchangeOf(request, signal))
    } catch (thrown) {
      return failure(ProtocolError.from(thrown), thrown)
    }
  }

  #exchangeOf({ method, params = {} }: JsonRpcRequest, signal: AbortSignal): Exchange {
    const { wire, version, capabilities, ask } = this.#options
    return {
      method,
      params,
      client: { version, capabilities },
      session: this.#session,
      signal,
      ask,
      notify: (notification) => void wire.send({ jsonrpc: '2.0', ...notification }).catch(() => {}),
    }
  }

  #reply(id: RequestId, outcome: Outcome, { signal }: AbortController): void {
    this.#open.delete(id)
    // A reply that cannot be written needs no handling here: the wire reports that it is gone.
    if (!signal.aborted) this.#options.wire.send({ jsonrpc: '2.0', id, ...bodyOf(outcome) }).catch(() => {})
  }
}

function bodyOf(outcome: Outcome) {
  switch (outcome.type) {
    case 'complete':
      return { result: outcome.result }
    case 'task':
      return { result: { task: shapeTask(outcome.task) } }
    case 'error':
      return { error: outcome.error }
    case 'input_required':
      return { error: { code: INTERNAL_ERROR, message: 'Internal error' } }
  }
}

function tooMany(): Outcome {
  return failure(new ProtocolError(INTERNAL_ERROR, 'Too many requests at a time'))
}
