import { INVALID_REQUEST, isJsonObject, ProtocolError, URL_ELICITATION_REQUIRED } from '../jsonrpc/index.ts'
import { abortError } from './cancellation.ts'
import { type Exchange, type Failure, failure, type InputRequests, type Outcome } from './exchange.ts'

export interface UrlQuestions {
  readonly requests: InputRequests
  readonly elicitationIds: readonly string[]
}

const KEY_PREFIX = 'url-'

/** Error −32042 (2025-11-25 only) lists URL elicitations to go through before the request is sent again. */
export function urlQuestions(outcome: Outcome, exchange: Exchange): UrlQuestions | undefined {
  if (outcome.type !== 'error' || outcome.error.code !== URL_ELICITATION_REQUIRED) return undefined
  if (!exchange.client.capabilities.elicitation?.url) return undefined
  const { data } = outcome.error
  const elicitations = isJsonObject(data) && Array.isArray(data.elicitations) ? data.elicitations : []
  const requests: InputRequests = {}
  const elicitationIds: string[] = []
  for (const params of elicitations) {
    if (!isJsonObject(params)) continue
    requests[`${KEY_PREFIX}${Object.keys(requests).length + 1}`] = { method: 'elicitation/create', params }
    if (typeof params.elicitationId === 'string') elicitationIds.push(params.elicitationId)
  }
  return Object.keys(requests).length > 0 ? { requests, elicitationIds } : undefined
}

export function allAccepted(responses: unknown): boolean {
  return isJsonObject(responses) && Object.values(responses).every((answer) => isAccepted(answer))
}

/** A retry that says no to a URL would only be refused again: it ends here. */
export function declinedUrl(exchange: Exchange): Failure | undefined {
  const responses = exchange.params.inputResponses
  if (!isJsonObject(responses)) return undefined
  const declined = Object.entries(responses).some(
    ([key, answer]) => key.startsWith(KEY_PREFIX) && !isAccepted(answer),
  )
  if (!declined) return undefined
  return failure(new ProtocolError(INVALID_REQUEST, 'The elicitation that this request needs was declined'))
}

function isAccepted(answer: unknown): boolean {
  return isJsonObject(answer) && answer.action === 'accept'
}

/** Remembers which URL elicitations the server reported as complete, and lets a request wait for them. */
export class UrlCompletions {
  readonly #completed = new Set<string>()
  readonly #waiting = new Set<() => void>()

  complete(elicitationId: unknown): void {
    if (typeof elicitationId !== 'string') return
    this.#completed.add(elicitationId)
    // Ids arrive from the server, so the memory of them is bounded.
    if (this.#completed.size > 256) this.#completed.delete(this.#completed.values().next().value as string)
    for (const check of this.#waiting) check()
  }

  /** Resolves when all are complete, or after `limit` ms: the notification is optional for servers. */
  async wait(ids: readonly string[], limit: number, signal: AbortSignal): Promise<void> {
    if (ids.length === 0) return
    let check = () => {}
    let onAbort = () => {}
    let timer: ReturnType<typeof setTimeout> | undefined
    try {
      await new Promise<void>((resolve, reject) => {
        check = () => ids.every((id) => this.#completed.has(id)) && resolve()
        onAbort = () => reject(abortError(signal))
        timer = setTimeout(resolve, limit)
        this.#waiting.add(check)
        signal.addEventListener('abort', onAbort, { once: true })
        if (signal.aborted) onAbort()
        check()
      })
    } finally {
      clearTimeout(timer)
      this.#waiting.delete(check)
      signal.removeEventListener('abort', onAbort)
    }
  }
}
