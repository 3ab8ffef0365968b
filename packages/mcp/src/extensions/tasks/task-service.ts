import { Budget, complete, TASK_STATUS, type Exchange, type Outcome } from '../../exchange/index.ts'
import { INVALID_PARAMS, isJsonObject, METHOD_NOT_FOUND, ProtocolError } from '../../jsonrpc/index.ts'
import {
  eraOf,
  LATEST_LEGACY,
  type FormsOf,
  parseDuration,
  requireKnownOptions,
  type Duration,
  type SubscriptionFilter,
} from '../../protocol/index.ts'
import type { Store, TaskRunner } from '../../server/index.ts'
import { LegacyTaskService } from './legacy-task-service.ts'
import { hasLegacyTasks } from './legacy-task.ts'
import { createTaskRunner } from './run-task.ts'
import { declaresTasks, missingTasks, type DetailedTask } from './task.ts'
import { TaskIndex } from './task-index.ts'
import { TaskRecords } from './task-records.ts'
import { TaskTable } from './task-table.ts'
import type { RunningTask } from './running-task.ts'

export interface TasksOptions {
  /** How long a task is kept from its creation; then its handler is aborted. Default 1 h. */
  ttl?: Duration
  /** How often clients should ask. Default 1 s. */
  pollInterval?: Duration
  /** Tasks that run at the same time; further calls are refused. Default 1000. */
  maxRunning?: number
  /** The same for each caller: a principal, else a session, else an address and client name. Default 100. */
  maxRunningPerPrincipal?: number
  /** Finished tasks that are kept; the oldest make room. Default 1000. */
  maxFinished?: number
  /** The longest result that is kept, in characters of JSON. Default 4 million. */
  maxResultSize?: number
  /** Where finished tasks are kept. Default: the server's store. */
  store?: Store
}

export interface TaskServiceOptions extends TasksOptions {
  store: Store
  /** Serve clients of 2025-11-25, too, in the way of that revision. Default false. */
  legacy?: boolean
  /** Hears of errors that no caller can be told about. */
  onError: (thrown: unknown) => void
}

const SERVICE_OPTIONS: FormsOf<TaskServiceOptions> = {
  ttl: 1,
  pollInterval: 1,
  maxRunning: 'a number',
  maxRunningPerPrincipal: 'a number',
  maxFinished: 'a number',
  maxResultSize: 'a number',
  store: 1,
  legacy: 'true or false',
  onError: 'a function',
}

/** More than this in one `subscriptions/listen` are not granted. */
const MAX_WATCHED = 100

/** Runs calls as tasks and answers for them (SEP-2663), for a `Server` or for a gateway. */
export class TaskService {
  /** Runs a call as a task if its client can follow tasks. */
  readonly run: TaskRunner
  readonly #table: TaskTable
  readonly #slots: Budget
  readonly #watchers = new TaskWatchers()
  readonly #legacy: LegacyTaskService | undefined
  readonly #onError: (thrown: unknown) => void

  constructor(options: TaskServiceOptions) {
    requireKnownOptions('service of tasks', SERVICE_OPTIONS, options)
    this.#onError = options.onError
    this.#slots = new Budget({
      total: options.maxRunning ?? 1_000,
      perCaller: options.maxRunningPerPrincipal ?? 100,
    })
    const { store, maxFinished = 1_000, legacy = false } = options
    const index = legacy ? new TaskIndex(store, maxFinished) : undefined
    this.#table = new TaskTable({
      records: new TaskRecords(store, maxFinished, index),
      slots: this.#slots,
      ttlMs: milliseconds(options.ttl ?? '1h'),
      pollIntervalMs: milliseconds(options.pollInterval ?? '1s'),
      maxResultSize: options.maxResultSize ?? 4_000_000,
      onChange: (task) => {
        this.#watchers.changed(task)
        this.#legacy?.changed(task)
      },
      onMessage: (task, message) => this.#legacy?.said(task, message),
      onError: this.#onError,
    })
    if (legacy) this.#legacy = new LegacyTaskService(this.#table)
    this.run = createTaskRunner(this.#table, legacy)
  }

  get running(): number {
    return this.#slots.held
  }

  close(message: string): void {
    this.#table.cancelAll(message)
  }

  async handle(exchange: Exchange): Promise<Outcome> {
    if (eraOf(exchange.client.version) === 'legacy') return this.#handleLegacy(exchange)
    if (!declaresTasks(exchange.client)) throw missingTasks()
    const task = await this.#table.require(exchange)
    const running = this.#table.running(task.taskId)
    switch (exchange.method) {
      case 'tasks/update': {
        const { inputResponses } = exchange.params
        if (!isJsonObject(inputResponses)) {
          throw new ProtocolError(INVALID_PARAMS, 'Invalid params: "inputResponses" must be an object')
        }
        running?.answer(inputResponses)
        return complete({})
      }
      case 'tasks/cancel':
        running?.cancel('The task was cancelled')
        return complete({})
      default:
        return complete({ ...task })
    }
  }

  #handleLegacy(exchange: Exchange): Promise<Outcome> {
    if (this.#legacy && hasLegacyTasks(exchange)) return this.#legacy.handle(exchange)
    throw new ProtocolError(METHOD_NOT_FOUND, `Method not found: ${exchange.method}`)
  }

  /** Which of the tasks asked for the caller may listen to. */
  async grant(asked: SubscriptionFilter, exchange: Exchange): Promise<SubscriptionFilter> {
    if (this.#legacy && exchange.client.version === LATEST_LEGACY && asked[TASK_STATUS] === true) {
      return { [TASK_STATUS]: true }
    }
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

  /** Begins with the present state, so that a listener misses nothing. Returns what ends it. */
  listen(granted: SubscriptionFilter, exchange: Exchange): () => void {
    if (this.#legacy && granted[TASK_STATUS] === true) return this.#legacy.listen(exchange)
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

type Notify = Exchange['notify']

/** The listeners of each task, through `subscriptions/listen`. */
export class TaskWatchers {
  readonly #watchers = new Map<string, Set<Notify>>()
  readonly #dirty = new Set<RunningTask>()

  /** Returns what ends it. */
  add(taskIds: readonly string[], notify: Notify): () => void {
    for (const taskId of taskIds) {
      const watchers = this.#watchers.get(taskId) ?? new Set()
      this.#watchers.set(taskId, watchers.add(notify))
    }
    return () => {
      for (const taskId of taskIds) {
        const watchers = this.#watchers.get(taskId)
        watchers?.delete(notify)
        if (watchers?.size === 0) this.#watchers.delete(taskId)
      }
    }
  }

  /** Tells the listeners at the end of the turn, so that questions that are asked together arrive together. */
  changed(task: RunningTask): void {
    if (!this.#watchers.has(task.taskId) || this.#dirty.has(task)) return
    this.#dirty.add(task)
    setTimeout(() => {
      this.#dirty.delete(task)
      for (const notify of this.#watchers.get(task.taskId) ?? []) tell(notify, task.toDetailedTask())
    }, 0)
  }
}

export function tell(notify: Notify, task: DetailedTask): void {
  notify({ method: 'notifications/tasks', params: { ...task } })
}
