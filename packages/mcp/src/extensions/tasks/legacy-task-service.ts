import { complete, type Exchange, type Notification, type Outcome } from '../../exchange/index.ts'
import { INVALID_PARAMS, METHOD_NOT_FOUND, ProtocolError } from '../../jsonrpc/index.ts'
import { withRelatedTask } from '../../protocol/index.ts'
import { legacyResultOf, toLegacyTask } from './legacy-task.ts'
import type { RunningTask } from './running-task.ts'
import { isTerminal, type DetailedTask, type TaskStatus } from './task.ts'
import { TaskFollowers } from './task-followers.ts'
import { ownerOf, ownerOfSession } from './task-owner.ts'
import type { TaskTable } from './task-table.ts'
import { readCursor, writeCursor } from '../../protocol/encoding.ts'
import type { Listed } from './task-index.ts'

/** The same tasks for clients of 2025-11-25, which ask for results and are asked while they wait for them. */
export class LegacyTaskService {
  readonly #table: TaskTable
  readonly #followers = new TaskFollowers()
  readonly #listeners = new StatusListeners()

  constructor(table: TaskTable) {
    this.#table = table
  }

  async handle(exchange: Exchange): Promise<Outcome> {
    const { method } = exchange
    if (method === 'tasks/list') return this.#list(exchange)
    const task = await this.#table.require(exchange)
    switch (method) {
      case 'tasks/get':
        return complete(toLegacyTask(task))
      case 'tasks/result':
        return this.#result(task, exchange)
      case 'tasks/cancel':
        return this.#cancel(task, exchange)
      default:
        throw new ProtocolError(METHOD_NOT_FOUND, `Method not found: ${method}`)
    }
  }

  changed(task: RunningTask): void {
    this.#followers.changed(task)
    this.#listeners.changed(task)
  }

  /** Progress and log messages are sent with the request for the result, if such a request is open. */
  said(task: RunningTask, { method, params }: Notification): void {
    const message = { method, params: withRelatedTask(params, task.taskId) }
    if (!this.#followers.notify(task, message)) this.#listeners.notify(task, message)
  }

  /** Tells a session of its tasks. When the session ends, tasks that only it knows end with it. */
  listen(exchange: Exchange): () => void {
    const { session } = exchange
    if (session === undefined) return () => {}
    const stop = this.#listeners.add(session, (notification) => exchange.notify(notification))
    return () => {
      stop()
      this.#table.cancelAll('The session has ended', ownerOfSession(session))
    }
  }

  async #list(exchange: Exchange): Promise<Outcome> {
    const owner = ownerOf(exchange)
    const listed = owner === undefined ? [] : await this.#table.listed(owner)
    const { tasks, nextCursor } = await pageOf(listed, exchange.params.cursor, (taskId) =>
      this.#table.find(taskId, exchange),
    )
    const shown = tasks.map(toLegacyTask)
    return complete(nextCursor === undefined ? { tasks: shown } : { tasks: shown, nextCursor })
  }

  async #result(task: DetailedTask, exchange: Exchange): Promise<Outcome> {
    const running = this.#table.running(task.taskId)
    if (!running) return complete(legacyResultOf(await this.#over(task, exchange)))
    if (!running.isOver) await this.#followers.follow(running, exchange)
    // A request that was cancelled meanwhile gets no answer.
    return complete(running.isOver ? legacyResultOf(running.toDetailedTask()) : {})
  }

  async #cancel(task: DetailedTask, exchange: Exchange): Promise<Outcome> {
    const running = this.#table.running(task.taskId)
    if (!running || running.isOver) {
      const { status } = toLegacyTask(running?.toDetailedTask() ?? (await this.#over(task, exchange)))
      throw new ProtocolError(INVALID_PARAMS, `The task cannot be cancelled: it is ${status} already`)
    }
    running.cancel('The task was cancelled')
    return complete(toLegacyTask(running.toDetailedTask()))
  }

  /** A task that does not run here; it may have ended since it was looked up. */
  async #over(task: DetailedTask, exchange: Exchange): Promise<DetailedTask> {
    return isTerminal(task.status) ? task : this.#table.require(exchange)
  }
}

type Notify = Exchange['notify']

/** Tells sessions of 2025-11-25 what becomes of their tasks (`notifications/tasks/status`). */
class StatusListeners {
  readonly #sessions = new Map<string, Notify>()
  /** The status that was told last, of tasks that have changed since the turn began. */
  readonly #told = new WeakMap<RunningTask, TaskStatus>()
  readonly #dirty = new Set<RunningTask>()

  /** Returns what ends it. */
  add(session: string, notify: Notify): () => void {
    this.#sessions.set(session, notify)
    return () => void this.#sessions.delete(session)
  }

  notify({ session }: RunningTask, notification: Notification): void {
    if (session !== undefined) this.#sessions.get(session)?.(notification)
  }

  /** When the turn is over: the answer that names the task has to come first. */
  changed(task: RunningTask): void {
    if (task.session === undefined || !this.#sessions.has(task.session) || this.#dirty.has(task)) return
    this.#dirty.add(task)
    setTimeout(() => {
      this.#dirty.delete(task)
      const detailed = task.toDetailedTask()
      if ((this.#told.get(task) ?? 'working') === detailed.status) return
      this.#told.set(task, detailed.status)
      this.notify(task, { method: 'notifications/tasks/status', params: toLegacyTask(detailed) })
    }, 0)
  }
}

const PAGE_SIZE = 50

interface TaskPage {
  readonly tasks: DetailedTask[]
  readonly nextCursor?: string
}

type Place = Pick<Listed, 'taskId' | 'createdAt'>

/** One page of tasks, oldest first. The cursor is a place in that order, so that tasks may come and go. */
async function pageOf(
  listed: readonly Place[],
  cursor: unknown,
  load: (taskId: string) => Promise<DetailedTask | undefined>,
): Promise<TaskPage> {
  const after = placeIn(cursor)
  const places = listed.filter((place) => !after || compare(place, after) > 0).sort(compare)
  const tasks: DetailedTask[] = []
  let last: Place | undefined
  for (const place of places) {
    if (last && tasks.length === PAGE_SIZE)
      return { tasks, nextCursor: writeCursor(`${last.createdAt}:${last.taskId}`) }
    const task = await load(place.taskId)
    if (!task) continue
    tasks.push(task)
    last = place
  }
  return { tasks }
}

function compare(one: Place, other: Place): number {
  return (
    one.createdAt - other.createdAt || (one.taskId < other.taskId ? -1 : Number(one.taskId > other.taskId))
  )
}

const CURSOR = /^([0-9]{1,15}):([0-9a-f-]{36})$/

function placeIn(cursor: unknown): Place | undefined {
  const found = readCursor(cursor, CURSOR)
  return found && { createdAt: Number(found[1]), taskId: found[2]! }
}
