import {
  isJsonObject,
  McpError,
  ProtocolError,
  type JsonObject,
  type JsonRpcResponse,
  type RequestId,
} from '../../../jsonrpc/index.ts'
import { META } from '../../../protocol/index.ts'
import { Budget } from '../../../protocol/callers.ts'
import type { InputRequest, InputRequests, InputResponses } from '../../exchange.ts'
import { RefusedForLoad, type Served, writeNotification, writeRequest } from '../../server/answer.ts'
import { INPUT_KEY, RELATED_REQUEST } from '../../message-hints.ts'

interface Pending {
  resolve(result: JsonObject): void
  reject(error: Error): void
}

/** Ten minutes: questions wait for people. */
export const DEFAULT_ANSWER_TIMEOUT = 600_000

/** Questions that clients may have to answer at a time, where the server sets no limits. */
const DEFAULT_LIMITS = { perCaller: 1_000, total: 10_000 }
const budgets = new WeakMap<Served, Budget>()

/** Shared by all sessions of a server. */
function budgetOf(served: Served): Budget {
  const budget = served.questions ?? budgets.get(served) ?? new Budget(DEFAULT_LIMITS)
  budgets.set(served, budget)
  return budget
}

export interface Asking {
  /** The caller that has to answer (`callerKey`). */
  readonly caller: string
  readonly signal: AbortSignal
  readonly relatedTo: RequestId
  send(this: void, text: string): void
}

export class LegacyQuestions {
  #nextId = 1
  readonly #pending = new Map<RequestId, Pending>()
  readonly #timeout: number
  readonly #budget: Budget

  constructor(served: Served) {
    this.#timeout = served.answerTimeout ?? DEFAULT_ANSWER_TIMEOUT
    this.#budget = budgetOf(served)
  }

  async ask(requests: InputRequests, { caller, send, signal, relatedTo }: Asking): Promise<InputResponses> {
    const count = Object.keys(requests).length
    const lacking = this.#budget.take(caller, count)
    if (lacking) {
      const whose = lacking === 'perCaller' ? 'The client has' : 'Clients have'
      throw new RefusedForLoad(`${whose} too many questions to answer already: answer some, then try again`, {
        reason: 'questions',
      })
    }
    const failed = new AbortController()
    const either = AbortSignal.any([signal, failed.signal])
    try {
      const entries = await Promise.all(
        Object.entries(requests).map(async ([key, request]) => [
          key,
          await this.#one(withHints(request, key, relatedTo), send, either),
        ]),
      )
      return Object.fromEntries(entries) as InputResponses
    } catch (error) {
      // When one answer does not come, the others are useless, so the client need not ask its user for them.
      failed.abort()
      throw error
    } finally {
      this.#budget.give(caller, count)
    }
  }

  #one(request: InputRequest, send: (text: string) => void, signal: AbortSignal): Promise<JsonObject> {
    const cancelled = (): McpError => new McpError('cancelled', `${request.method} was cancelled`)
    if (signal.aborted) return Promise.reject(cancelled())
    const id = this.#nextId++
    return new Promise<JsonObject>((resolve, reject) => {
      const finish = (): void => {
        clearTimeout(timer)
        signal.removeEventListener('abort', onAbort)
        this.#pending.delete(id)
      }
      const giveUp = (error: Error): void => {
        finish()
        const params = { requestId: id, ...relatedTask(request) }
        send(writeNotification({ method: 'notifications/cancelled', params }))
        reject(error)
      }
      const onAbort = (): void => giveUp(cancelled())
      const timer = setTimeout(
        () => giveUp(new McpError('timeout', `The client did not answer ${request.method} in time`)),
        this.#timeout,
      )
      this.#pending.set(id, {
        resolve(result) {
          finish()
          resolve(result)
        },
        reject(error) {
          finish()
          reject(error)
        },
      })
      signal.addEventListener('abort', onAbort, { once: true })
      send(writeRequest(id, request.method, legacyParams(request)))
    })
  }

  /** Gives an answer to the question that waits for it; false when no question waits. */
  settle(response: JsonRpcResponse): boolean {
    const pending = response.id === null ? undefined : this.#pending.get(response.id)
    if (!pending) return false
    if ('error' in response) pending.reject(ProtocolError.fromJsonRpc(response.error))
    else pending.resolve(response.result)
    return true
  }

  close(): void {
    for (const pending of [...this.#pending.values()]) {
      pending.reject(new McpError('closed', 'The client went away before it answered'))
    }
  }
}

/** 2025-11-25 requires an id on URL elicitations; 2026-07-28 has no such id. */
function legacyParams(request: InputRequest): JsonObject | undefined {
  const { params } = request
  if (request.method !== 'elicitation/create' || !isJsonObject(params) || params.mode !== 'url') return params
  return params.elicitationId === undefined ? { ...params, elicitationId: crypto.randomUUID() } : params
}

function withHints(request: InputRequest, key: string, relatedTo: RequestId): InputRequest {
  const meta = request.params?._meta
  const own = isJsonObject(meta) ? meta : undefined
  const hints: JsonObject = { ...own, [INPUT_KEY]: key, [RELATED_REQUEST]: relatedTo }
  return { ...request, params: { ...request.params, _meta: hints } }
}

/** Every message about a task names it (2025-11-25, Tasks, Related Task Metadata). */
function relatedTask({ params }: InputRequest): JsonObject {
  const meta = params?._meta
  if (!isJsonObject(meta) || !isJsonObject(meta[META.relatedTask])) return {}
  return { _meta: { [META.relatedTask]: meta[META.relatedTask] } }
}
