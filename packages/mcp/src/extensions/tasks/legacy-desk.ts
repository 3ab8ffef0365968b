import { complete, type Exchange, type Notification, type Outcome } from '../../exchange/index.ts'
import { INVALID_PARAMS, METHOD_NOT_FOUND, ProtocolError } from '../../jsonrpc/index.ts'
import { withRelatedTask } from '../../protocol/index.ts'
import { legacyResultOf, toLegacyTask } from './legacy-task.ts'
import type { LiveTask } from './live-task.ts'
import { StatusListeners } from './status-listeners.ts'
import { isTerminal, type DetailedTask } from './task.ts'
import { TaskFollowers } from './task-followers.ts'
import { ownerOf, ownerOfSession } from './task-owner.ts'
import { pageOf } from './task-page.ts'
import type { TaskTable } from './task-table.ts'

/** The same tasks for clients of 2025-11-25, which ask for results and are asked while they wait for them. */
export class LegacyDesk {
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

  changed(task: LiveTask): void {
    this.#followers.changed(task)
    this.#listeners.changed(task)
  }

  /** Progress and log messages go with the request for the result, if there is one. */
  said(task: LiveTask, { method, params }: Notification): void {
    const message = { method, params: withRelatedTask(params, task.taskId) }
    if (!this.#followers.notify(task, message)) this.#listeners.notify(task, message)
  }

  /** Tells a session of its tasks. When it ends nobody can ask for those that are its alone. */
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
    const live = this.#table.live(task.taskId)
    if (!live) return complete(legacyResultOf(await this.#over(task, exchange)))
    if (!live.isOver) await this.#followers.follow(live, exchange)
    // Nobody reads the answer to a request that was cancelled meanwhile.
    return complete(live.isOver ? legacyResultOf(live.toDetailedTask()) : {})
  }

  async #cancel(task: DetailedTask, exchange: Exchange): Promise<Outcome> {
    const live = this.#table.live(task.taskId)
    if (!live || live.isOver) {
      const { status } = toLegacyTask(live?.toDetailedTask() ?? (await this.#over(task, exchange)))
      throw new ProtocolError(INVALID_PARAMS, `The task cannot be cancelled: it is ${status} already`)
    }
    live.cancel('The task was cancelled')
    return complete(toLegacyTask(live.toDetailedTask()))
  }

  /** A task that does not run here; it may have ended since it was looked up. */
  async #over(task: DetailedTask, exchange: Exchange): Promise<DetailedTask> {
    return isTerminal(task.status) ? task : this.#table.require(exchange)
  }
}
