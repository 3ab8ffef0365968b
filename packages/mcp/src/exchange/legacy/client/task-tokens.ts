import { isJsonObject } from '../../../jsonrpc/index.ts'
import { toCallerProgress } from '../../client/client-edge.ts'
import type { Exchange, Notification, Outcome } from '../../exchange.ts'
import { outlineOf } from '../../received-result.ts'

const MAX_TOKENS = 256

/** Progress tokens of calls that became tasks: they stay valid for as long as the task lives (2025-11-25, Tasks). */
export class TaskTokens {
  readonly #owners = new Map<unknown, { notify(notification: Notification): void }>()

  get(token: unknown): { notify(notification: Notification): void } | undefined {
    return this.#owners.get(token)
  }

  /** Remembers the token when the answer is a task. The oldest makes room: nothing says when a task is forgotten. */
  keep(token: unknown, exchange: Exchange, answer: Outcome): Outcome {
    if (answer.type !== 'complete' || !isJsonObject(outlineOf(answer).task)) return answer
    const notify = (notification: Notification): void => {
      const progress = toCallerProgress(notification, exchange)
      if (progress) exchange.notify(progress)
    }
    this.#owners.set(token, { notify })
    if (this.#owners.size > MAX_TOKENS) this.#owners.delete(this.#owners.keys().next().value)
    return answer
  }
}
