import type { JsonObject } from '../../jsonrpc/index.ts'
import type { CallResult, RequestOptions } from '../../client/index.ts'
import { readTask } from './read-task.ts'
import type { DetailedTask } from './task.ts'

/** A started call as plain JSON: store it, and go on with `resume` after a restart. */
export interface SavedTask {
  tool: string
  taskId?: string
  /** The immediate result, when the server made no task. */
  result?: JsonObject
}

export interface TaskRunHost {
  request(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject>
  follow(saved: SavedTask, options: RequestOptions): Promise<CallResult>
}

export class TaskRun {
  readonly tool: string
  /** Absent when the server answered at once. */
  readonly taskId: string | undefined
  readonly #saved: SavedTask
  readonly #host: TaskRunHost

  constructor(saved: SavedTask, host: TaskRunHost) {
    this.tool = saved.tool
    this.taskId = saved.taskId
    this.#saved = saved
    this.#host = host
  }

  /** Waits for the result, and answers questions meanwhile. Aborting its signal leaves the task alone. */
  result(options: RequestOptions = {}): Promise<CallResult> {
    return this.#host.follow(this.#saved, options)
  }

  /** How things stand; undefined when the server answered at once. */
  async status(options: RequestOptions = {}): Promise<DetailedTask | undefined> {
    const { taskId } = this
    if (taskId === undefined) return undefined
    return readTask(await this.#host.request('tasks/get', { taskId }, options))
  }

  /** Asks the server to stop. It may finish the work all the same. */
  async cancel(options: RequestOptions = {}): Promise<void> {
    const { taskId } = this
    if (taskId !== undefined) await this.#host.request('tasks/cancel', { taskId }, options)
  }

  toJSON(): SavedTask {
    return { ...this.#saved }
  }
}
