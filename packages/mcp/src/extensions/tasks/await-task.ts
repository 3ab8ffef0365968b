import { abortError, pause, type Exchange, type InputRequests, type Outcome } from '../../exchange/index.ts'
import { type JsonObject, McpError, ProtocolError, toNumber } from '../../jsonrpc/index.ts'
import { LONGEST_TIMER } from '../../protocol/index.ts'
import { cancelledTask, outcomeOf, readTask } from './read-task.ts'
import { isPassing, ResultRequest } from './result-request.ts'
import type { DetailedTask, Task } from './task.ts'

export interface AwaitOptions {
  /** Sends `tasks/get`, `tasks/update` or `tasks/cancel`; to a server of 2025-11-25 also `tasks/result`. */
  send(method: string, params: JsonObject, signal: AbortSignal): Promise<Outcome>
  /** Listens to the task until the signal aborts; absent when only polling is wanted. */
  listen?: ((taskId: string, onTask: (task: unknown) => void, signal: AbortSignal) => void) | undefined
  ask: NonNullable<Exchange['ask']>
  /** Called when the task has changed since it was last looked at. */
  onNews?(): void
  /** Told what the task says about itself. */
  onMessage(message: string): void
  signal: AbortSignal
  /** Between polls, where the server does not say, in ms. */
  pollIntervalMs: number
  maxWaitMs: number
  /** Whether the server is one of 2025-11-25, which asks its questions while it is asked for the result. */
  legacy?: boolean
  /** Whether only this caller knows the task: it is cancelled when we stop waiting. */
  owned: boolean
}

const SHORTEST_INTERVAL = 10
const ATTEMPTS = 5
const FIRST_RETRY = 250
/** Waits for a task and resolves with the outcome of its call. Questions are answered on the way. */
export async function awaitTask(first: Task | { taskId: string }, options: AwaitOptions): Promise<Outcome> {
  const wait = new TaskWait(first.taskId, options)
  try {
    const known = 'status' in first ? first : undefined
    return await (options.legacy ? wait.runLegacy(known) : wait.run(known))
  } catch (thrown) {
    if (options.owned) wait.cancel()
    throw options.signal.aborted ? abortError(options.signal) : thrown
  } finally {
    wait.stop()
  }
}

class TaskWait {
  readonly #taskId: string
  readonly #options: AwaitOptions
  readonly #began = Date.now()
  /** Ends what runs beside the loop: questions to the user, the listening. */
  readonly #over = new AbortController()
  readonly #asked = new Set<string>()
  readonly #failed: Promise<never>
  #fail: (thrown: unknown) => void = () => {}
  #pushed: DetailedTask | undefined
  #wake: () => void = () => {}
  #listening = false
  #message: string | undefined
  #state: string | undefined

  constructor(taskId: string, options: AwaitOptions) {
    this.#taskId = taskId
    this.#options = options
    this.#failed = new Promise((_, reject) => {
      this.#fail = reject
    })
    this.#failed.catch(() => {})
  }

  async run(first: Task | undefined): Promise<Outcome> {
    // A new task that works needs its time; anything else is worth a look at once.
    let task: DetailedTask = first?.status === 'working' ? await this.#next(first) : await this.#get()
    for (;;) {
      const outcome = outcomeOf(task)
      if (outcome) return outcome
      this.#tell(task)
      this.#answer(task.inputRequests ?? {})
      this.#listen()
      task = await this.#next(task)
    }
  }

  /** Waits for the result itself, and looks now and then how things stand. */
  async runLegacy(first: Task | undefined): Promise<Outcome> {
    const result = new ResultRequest(
      () => this.#options.send('tasks/result', { taskId: this.#taskId }, this.#both),
      () => this.#wake(),
    )
    this.#listen()
    let task = first ?? (await this.#get())
    for (;;) {
      result.open()
      if (!result.settled) await this.#pause(task)
      if (result.settled) return this.#concluded(await result.settled)
      task = await this.#look()
      if (task.status === 'cancelled') throw cancelledTask(task)
      this.#tell(task)
    }
  }

  /** A cancelled task has an error in the place of its result, which is reported as a cancellation. */
  async #concluded(outcome: Outcome): Promise<Outcome> {
    if (outcome.type !== 'error') return outcome
    const task = await this.#get().catch(() => undefined)
    if (task?.status === 'cancelled') throw cancelledTask(task)
    return outcome
  }

  get #both(): AbortSignal {
    return AbortSignal.any([this.#options.signal, this.#over.signal])
  }

  stop(): void {
    this.#over.abort(new McpError('cancelled', 'The task needs no answer any more'))
  }

  /** The caller gives the task up. Whether the server hears of it does not matter. */
  cancel(): void {
    const signal = AbortSignal.timeout(10_000)
    this.#options.send('tasks/cancel', { taskId: this.#taskId }, signal).catch(() => {})
  }

  /** The task as it is after its interval, or as it was announced before. */
  async #next(task: Task): Promise<DetailedTask> {
    await this.#pause(task)
    return this.#look()
  }

  async #pause(task: Task): Promise<void> {
    const interval = this.#interval(task)
    const left = this.#timeLeft(task, interval)
    await Promise.race([this.#idle(Math.min(interval, left)), this.#failed])
  }

  async #look(): Promise<DetailedTask> {
    const pushed = this.#pushed
    this.#pushed = undefined
    return pushed ?? (await Promise.race([this.#get(), this.#failed]))
  }

  #interval({ pollIntervalMs }: Task): number {
    const wanted = toNumber(pollIntervalMs) ?? this.#options.pollIntervalMs
    return Math.min(Math.max(wanted, SHORTEST_INTERVAL), LONGEST_TIMER)
  }

  /** A task that outlives its own ttl is no longer usable (SEP-2663, Task Polling). */
  #timeLeft({ ttlMs }: Task, interval: number): number {
    const waited = Date.now() - this.#began
    const { maxWaitMs } = this.#options
    const lifetime = (toNumber(ttlMs) ?? Number.POSITIVE_INFINITY) + 2 * interval
    const left = Math.min(maxWaitMs, lifetime) - waited
    if (left > 0) return left
    const why = waited >= maxWaitMs ? `within ${maxWaitMs} ms` : `within its lifetime of ${ttlMs} ms`
    throw new McpError('timeout', `The task was not finished ${why}`, { details: { taskId: this.#taskId } })
  }

  /** Until the time is over, or there is something to see. */
  async #idle(milliseconds: number): Promise<void> {
    if (this.#pushed) return
    const woken = new AbortController()
    this.#wake = () => woken.abort()
    await pause(milliseconds, AbortSignal.any([this.#options.signal, woken.signal])).catch(() => {})
    if (this.#options.signal.aborted) throw abortError(this.#options.signal)
  }

  async #get(): Promise<DetailedTask> {
    const outcome = await this.#send('tasks/get', {})
    if (outcome.type === 'error') throw ProtocolError.fromJsonRpc(outcome.error)
    if (outcome.type !== 'complete')
      throw new McpError('bad_response', 'tasks/get did not answer with a task')
    return readTask(outcome.result)
  }

  /** Answers what was not answered yet. The user may think while we go on looking after the task. */
  #answer(requests: InputRequests): void {
    const fresh = Object.entries(requests).filter(([key]) => !this.#asked.has(key))
    if (fresh.length === 0) return
    for (const [key] of fresh) this.#asked.add(key)
    this.#ask(Object.fromEntries(fresh)).catch((thrown: unknown) => {
      if (!this.#over.signal.aborted) this.#fail(thrown)
    })
  }

  async #ask(requests: InputRequests): Promise<void> {
    const inputResponses = await this.#options.ask(requests, this.#both)
    const outcome = await this.#send('tasks/update', { inputResponses })
    if (outcome.type === 'error') throw ProtocolError.fromJsonRpc(outcome.error)
    // The answer moves the task on: there may be something to see at once.
    this.#wake()
  }

  async #send(method: string, params: JsonObject): Promise<Outcome> {
    const { send, signal } = this.#options
    for (let attempt = 1; ; attempt++) {
      try {
        return await send(method, { taskId: this.#taskId, ...params }, signal)
      } catch (thrown) {
        if (!isPassing(thrown) || signal.aborted || attempt === ATTEMPTS) throw thrown
        await pause(FIRST_RETRY * 2 ** (attempt - 1), signal)
      }
    }
  }

  #listen(): void {
    if (this.#listening) return
    this.#listening = true
    this.#options.listen?.(this.#taskId, (value) => this.#receive(value), this.#both)
  }

  #receive(value: unknown): void {
    try {
      const task = readTask(value)
      if (task.taskId !== this.#taskId) return
      this.#pushed = task
      this.#wake()
    } catch {
      // Polling finds out what a malformed notification meant to say.
    }
  }

  #tell({ status, statusMessage, lastUpdatedAt }: Task): void {
    const state = JSON.stringify([status, statusMessage, lastUpdatedAt])
    if (state !== this.#state) this.#options.onNews?.()
    this.#state = state
    if (typeof statusMessage !== 'string' || statusMessage === this.#message) return
    this.#message = statusMessage
    this.#options.onMessage(statusMessage)
  }
}
