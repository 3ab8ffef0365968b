import {
  failure,
  IncreasingProgress,
  type InputRequests,
  type InputResponses,
  type Notification,
  type Outcome,
} from '../../exchange/index.ts'
import {
  INTERNAL_ERROR,
  McpError,
  ProtocolError,
  type JsonObject,
  type JsonRpcError,
} from '../../jsonrpc/index.ts'
import { isTerminal, type DetailedTask, type Task, type TaskStatus } from './task.ts'
import { TaskQuestions } from './task-questions.ts'

export interface RunningTaskOptions {
  /** The owner; undefined when every caller that knows the id may use it. */
  owner: string | undefined
  /** The session of 2025-11-25 that made it. */
  session?: string | undefined
  ttlMs: number
  pollIntervalMs: number
  /** Told after every change of status, and when questions come and go. */
  onChange(task: RunningTask): void
  /** Told what the handler has to say on the way, where a session can hear it. */
  onMessage(task: RunningTask, message: Notification): void
}

const LONGEST_MESSAGE = 1_000
/** A result stays for at least so many polls, however late in the task's life it comes. */
const POLLS_FOR_RESULT = 10

/** A task that this process runs: its state, from creation to its end. */
export class RunningTask {
  readonly taskId: string = crypto.randomUUID()
  readonly owner: string | undefined
  readonly session: string | undefined
  readonly #options: RunningTaskOptions
  readonly #questions = new TaskQuestions()
  readonly #abort = new AbortController()
  readonly #progress = new IncreasingProgress()
  readonly createdAt: number = Date.now()
  #updatedAt = this.createdAt
  #ttlMs: number
  #status: TaskStatus = 'working'
  #message: string | undefined
  #result: JsonObject | undefined
  #error: JsonRpcError | undefined

  constructor(options: RunningTaskOptions) {
    this.#options = options
    this.owner = options.owner
    this.session = options.session
    this.#ttlMs = options.ttlMs
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  get isOver(): boolean {
    return isTerminal(this.#status)
  }

  /** Milliseconds until the task may be forgotten. */
  get remainingMs(): number {
    return Math.max(1, this.createdAt + this.#ttlMs - Date.now())
  }

  /** Asks the client through the task: it sees the questions with `tasks/get`, and answers `tasks/update`. */
  async ask(requests: InputRequests, signal: AbortSignal = this.signal): Promise<InputResponses> {
    const answers = this.#questions.ask(requests, signal)
    this.#settleStatus()
    try {
      return await answers
    } finally {
      this.#settleStatus()
    }
  }

  answer(responses: JsonObject): void {
    this.#questions.answer(responses)
    this.#settleStatus()
  }

  /** The client cannot or will not answer: the handler has to do without an answer. */
  refuse(key: string, reason: unknown): void {
    this.#questions.refuse(key, reason)
  }

  get questions(): InputRequests {
    return this.#questions.requests
  }

  /** Tells the session that made the task what the handler says on the way. */
  say(message: Notification): void {
    if (this.isOver || this.session === undefined || !this.#progress.admits(message)) return
    this.#options.onMessage(this, message)
  }

  /** Describes the work for callers that ask. It wakes no listener. */
  describe(message: string): void {
    if (this.isOver) return
    this.#message = message.slice(0, LONGEST_MESSAGE)
    this.#updatedAt = Date.now()
  }

  finish(outcome: Outcome): void {
    if (this.isOver) return
    if (outcome.type === 'complete') {
      this.#result = outcome.result
      this.#message = undefined
      this.#end('completed')
    } else if (outcome.type === 'error') {
      this.#error = outcome.error
      this.#message = outcome.error.message
      this.#end('failed')
    }
  }

  /** Cancels at once, whatever the handler makes of its signal. */
  cancel(message: string): void {
    if (this.isOver) return
    this.#message = message
    this.#end('cancelled')
    this.#abort.abort(new McpError('cancelled', message))
  }

  /** Its time is over before its work is. */
  expire(): void {
    const message = 'The task has expired'
    this.finish(failure(new ProtocolError(INTERNAL_ERROR, message)))
    this.#abort.abort(new McpError('timeout', message))
  }

  toTask(): Task {
    return {
      taskId: this.taskId,
      status: this.#status,
      ...(this.#message !== undefined && { statusMessage: this.#message }),
      createdAt: new Date(this.createdAt).toISOString(),
      lastUpdatedAt: new Date(this.#updatedAt).toISOString(),
      ttlMs: this.#ttlMs,
      pollIntervalMs: this.#options.pollIntervalMs,
    }
  }

  toDetailedTask(): DetailedTask {
    return {
      ...this.toTask(),
      // As the call would have answered (SEP-2663), which says what it is; official clients insist on it.
      ...(this.#result && { result: { ...this.#result, resultType: 'complete' } }),
      ...(this.#error && { error: this.#error }),
      ...(this.#status === 'input_required' && { inputRequests: this.#questions.requests }),
    }
  }

  #settleStatus(): void {
    if (this.isOver) return
    const asking = this.#questions.size > 0
    if (!asking && this.#status === 'working') return
    this.#status = asking ? 'input_required' : 'working'
    this.#touch()
  }

  #end(status: TaskStatus): void {
    this.#status = status
    const age = Date.now() - this.createdAt
    this.#ttlMs = Math.max(this.#ttlMs, age + POLLS_FOR_RESULT * this.#options.pollIntervalMs)
    this.#touch()
  }

  #touch(): void {
    this.#updatedAt = Date.now()
    this.#options.onChange(this)
  }
}
