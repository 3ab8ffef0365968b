import type { Exchange, InputRequest, Notification } from '../../exchange/index.ts'
import { isJsonObject, McpError } from '../../jsonrpc/index.ts'
import { withRelatedTask } from '../../protocol/index.ts'
import type { RunningTask } from './running-task.ts'

/** Requests that wait for the result of a running task. The newest one of a task is asked its questions. */
export class TaskFollowers {
  readonly #followers = new Map<RunningTask, TaskFollower[]>()

  /** Resolves when the task is over, or the request is. */
  async follow(task: RunningTask, exchange: Exchange): Promise<void> {
    const others = this.#followers.get(task) ?? []
    others.at(-1)?.rest()
    const follower = new TaskFollower(task, exchange)
    this.#followers.set(task, [...others, follower])
    try {
      follower.look()
      await follower.over
    } finally {
      follower.rest()
      const left = (this.#followers.get(task) ?? []).filter((other) => other !== follower)
      if (left.length > 0) this.#followers.set(task, left)
      else this.#followers.delete(task)
      left.at(-1)?.look()
    }
  }

  changed(task: RunningTask): void {
    const followers = this.#followers.get(task) ?? []
    if (task.isOver) for (const follower of followers) follower.end()
    else followers.at(-1)?.look()
  }

  notify(task: RunningTask, notification: Notification): boolean {
    const follower = this.#followers.get(task)?.at(-1)
    follower?.notify(notification)
    return follower !== undefined
  }
}

class TaskFollower {
  readonly over: Promise<void>
  readonly #task: RunningTask
  readonly #exchange: Exchange
  readonly #asking = new Map<string, AbortController>()
  #end: () => void = () => {}

  constructor(task: RunningTask, exchange: Exchange) {
    this.#task = task
    this.#exchange = exchange
    const { signal } = exchange
    this.over = new Promise((resolve) => {
      this.#end = () => {
        signal.removeEventListener('abort', this.#end)
        resolve()
      }
    })
    if (signal.aborted) this.#end()
    else signal.addEventListener('abort', this.#end, { once: true })
  }

  end(): void {
    this.#end()
  }

  notify(notification: Notification): void {
    this.#exchange.notify(notification)
  }

  rest(): void {
    for (const abort of this.#asking.values()) abort.abort()
    this.#asking.clear()
  }

  /** Asks the new questions, and withdraws questions that the handler no longer waits for. */
  look(): void {
    const { questions } = this.#task
    for (const [key, abort] of this.#asking) {
      if (Object.hasOwn(questions, key)) continue
      this.#asking.delete(key)
      abort.abort()
    }
    for (const [key, request] of Object.entries(questions)) {
      if (!this.#asking.has(key)) void this.#ask(key, request)
    }
  }

  async #ask(key: string, request: InputRequest): Promise<void> {
    const abort = new AbortController()
    this.#asking.set(key, abort)
    const question = { ...request, params: withRelatedTask(request.params, this.#task.taskId) }
    const signal = AbortSignal.any([abort.signal, this.#exchange.signal])
    try {
      const answers = await this.#exchange.ask!({ [key]: question }, signal)
      const answer = Object.hasOwn(answers, key) ? answers[key] : undefined
      if (!isJsonObject(answer)) throw new McpError('invalid_answer', `No answer to ${request.method}`)
      this.#task.answer({ [key]: answer })
    } catch (thrown) {
      // When the question was withdrawn or the request has ended, the next request asks again.
      if (!signal.aborted) this.#task.refuse(key, thrown)
    } finally {
      if (this.#asking.get(key) === abort) this.#asking.delete(key)
    }
  }
}
