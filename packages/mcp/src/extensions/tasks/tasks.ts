import { complete, type Exchange, type Outcome } from '../../exchange/index.ts'
import { INVALID_PARAMS, isJsonObject, ProtocolError } from '../../jsonrpc/index.ts'
import { parseDuration, type Duration, type SubscriptionFilter } from '../../protocol/index.ts'
import type { Server, Store } from '../../server/index.ts'
import { createTaskRunner } from './run-task.ts'
import { declaresTasks, missingTasks, TASKS_EXTENSION, type DetailedTask } from './task.ts'
import { TaskRecords } from './task-records.ts'
import { TaskSlots } from './task-slots.ts'
import { TaskTable } from './task-table.ts'
import { tell, TaskWatchers } from './task-watchers.ts'

export interface TasksOptions {
  /** How long a task is kept, from its creation. A handler that still runs then is aborted. Default 1 h. */
  ttl?: Duration
  /** How often clients should ask. Default 1 s. */
  pollInterval?: Duration
  /** Tasks that run at the same time; further calls are refused. Default 1000. */
  maxRunning?: number
  /** The same for one authenticated caller. Default 100. */
  maxRunningPerPrincipal?: number
  /** Finished tasks that are kept; the oldest make room. Default 1000. */
  maxFinished?: number
  /** The longest result that is kept, in characters of JSON. Default 4 million. */
  maxResultSize?: number
  /** Where finished tasks are kept. Default: the server's store. */
  store?: Store
}

/** More than this in one `subscriptions/listen` are not granted. */
const MAX_WATCHED = 100

/**
 * Lets clients follow long calls as tasks (SEP-2663): tools with a `task` mode answer with a handle, and the
 * client polls, listens, answers questions and cancels through it. Clients without the extension, and legacy
 * ones, wait for the result as ever.
 *
 * @example
 * ```ts
 * const app = new Server({ name: 'studio', tools: { render: tool({ task: 'optional', run }) } })
 * tasks(app, { ttl: '1h' })
 * ```
 */
export function tasks(app: Server, options: TasksOptions = {}): Tasks {
  return new Tasks(app, options)
}

/** The tasks of one server. Those that run belong to this process; finished ones are in the store. */
export class Tasks {
  readonly #table: TaskTable
  readonly #slots: TaskSlots
  readonly #watchers = new TaskWatchers()
  readonly #onError: (thrown: unknown) => void

  constructor(app: Server, options: TasksOptions) {
    this.#onError = (thrown) => app.onInternalError(thrown)
    this.#slots = new TaskSlots({
      maxRunning: options.maxRunning ?? 1_000,
      maxRunningPerPrincipal: options.maxRunningPerPrincipal ?? 100,
    })
    this.#table = new TaskTable({
      records: new TaskRecords(options.store ?? app.store, options.maxFinished ?? 1_000),
      slots: this.#slots,
      ttlMs: milliseconds(options.ttl ?? '1h'),
      pollIntervalMs: milliseconds(options.pollInterval ?? '1s'),
      maxResultSize: options.maxResultSize ?? 4_000_000,
      onChange: (task) => this.#watchers.changed(task),
      onError: this.#onError,
    })
    app
      .extension(TASKS_EXTENSION)
      .runTasks(createTaskRunner(this.#table))
      .announce({
        grant: (asked, exchange) => this.#grant(asked, exchange),
        listen: (granted, exchange) => this.#listen(granted, exchange),
      })
      .method('tasks/get', async (exchange) => complete({ ...(await this.#find(exchange)) }))
      .method('tasks/update', (exchange) => this.#update(exchange))
      .method('tasks/cancel', (exchange) => this.#cancel(exchange))
  }

  /** Handlers that run as tasks at present. */
  get running(): number {
    return this.#slots.running
  }

  /** Cancels what runs: the server shuts down. */
  close(): void {
    this.#table.cancelAll('The server is shutting down')
  }

  async #update(exchange: Exchange): Promise<Outcome> {
    const { taskId } = await this.#find(exchange)
    const { inputResponses } = exchange.params
    if (!isJsonObject(inputResponses)) {
      throw new ProtocolError(INVALID_PARAMS, 'Invalid params: "inputResponses" must be an object')
    }
    this.#table.live(taskId)?.answer(inputResponses)
    return complete({})
  }

  async #cancel(exchange: Exchange): Promise<Outcome> {
    const { taskId } = await this.#find(exchange)
    this.#table.live(taskId)?.cancel('The task was cancelled')
    return complete({})
  }

  async #find(exchange: Exchange): Promise<DetailedTask> {
    if (!declaresTasks(exchange.client)) throw missingTasks()
    const { taskId } = exchange.params
    if (typeof taskId !== 'string') {
      throw new ProtocolError(INVALID_PARAMS, 'Invalid params: "taskId" must be a string')
    }
    const task = await this.#table.find(taskId, exchange)
    if (!task) throw new ProtocolError(INVALID_PARAMS, 'Task not found: it never was, or has expired')
    return task
  }

  async #grant(asked: SubscriptionFilter, exchange: Exchange): Promise<SubscriptionFilter> {
    const { taskIds } = asked
    if (taskIds === undefined) return {}
    if (!declaresTasks(exchange.client)) throw missingTasks()
    if (!Array.isArray(taskIds) || !taskIds.every((taskId) => typeof taskId === 'string')) {
      throw new ProtocolError(INVALID_PARAMS, 'Invalid params: "taskIds" must be a list of strings')
    }
    const known: string[] = []
    for (const taskId of new Set<string>(taskIds.slice(0, MAX_WATCHED))) {
      if (await this.#table.find(taskId, exchange)) known.push(taskId)
    }
    return known.length > 0 ? { taskIds: known } : {}
  }

  /** Begins with how things stand, so that nobody misses what happened before. */
  #listen(granted: SubscriptionFilter, exchange: Exchange): () => void {
    const taskIds = (granted.taskIds ?? []) as string[]
    const notify: Exchange['notify'] = (notification) => exchange.notify(notification)
    for (const taskId of taskIds) {
      this.#table.find(taskId, exchange).then((task) => task && tell(notify, task), this.#onError)
    }
    return this.#watchers.add(taskIds, notify)
  }
}

/** The wire has whole milliseconds. */
function milliseconds(duration: Duration): number {
  return Math.max(1, Math.round(parseDuration(duration)))
}
