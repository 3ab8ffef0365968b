import type { Outcome } from '../../exchange/index.ts'
import { isJsonObject, McpError } from '../../jsonrpc/index.ts'
import { META } from '../../protocol/index.ts'

const PASSING: ReadonlySet<string> = new Set(['network', 'timeout', 'exited', 'session_lost'])

/** The connection may be back in a moment, and the task is still there. */
export function isPassing(thrown: unknown): boolean {
  return thrown instanceof McpError && PASSING.has(thrown.code)
}

/** The request for the result of a task of 2025-11-25. It is made again when it broke off before the result came. */
export class ResultRequest {
  /** Rejects when it can never succeed. */
  settled: Promise<Outcome> | undefined
  readonly #send: () => Promise<Outcome>
  readonly #onSettled: () => void
  #isOpen = false

  constructor(send: () => Promise<Outcome>, onSettled: () => void) {
    this.#send = send
    this.#onSettled = onSettled
  }

  /** Once at a time. The caller repeats it after a pause: a request that is silent for long is given up. */
  open(): void {
    if (this.#isOpen || this.settled) return
    this.#isOpen = true
    const answer = this.#send()
    answer.then(
      (outcome) => this.#settle(Promise.resolve(withoutTask(outcome))),
      (thrown: unknown) => {
        this.#isOpen = false
        if (!isPassing(thrown)) this.#settle(answer)
      },
    )
  }

  #settle(settled: Promise<Outcome>): void {
    this.settled = settled
    settled.catch(() => {})
    this.#onSettled()
  }
}

/** Removes the name of the task, which only the server and we know. */
function withoutTask(outcome: Outcome): Outcome {
  if (outcome.type !== 'complete' || !isJsonObject(outcome.result._meta)) return outcome
  const { [META.relatedTask]: _task, ...meta } = outcome.result._meta
  const { _meta, ...result } = outcome.result
  return { type: 'complete', result: Object.keys(meta).length > 0 ? { ...result, _meta: meta } : result }
}
