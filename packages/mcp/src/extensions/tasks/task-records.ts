import { isJsonObject } from '../../jsonrpc/index.ts'
import type { Store } from '../../server/index.ts'
import type { LiveTask } from './live-task.ts'
import type { DetailedTask } from './task.ts'

/** A finished task as the store has it. */
export interface TaskRecord {
  principal: string | undefined
  task: DetailedTask
}

/** Finished tasks, which live in the store until they expire. */
export class TaskRecords {
  readonly #store: Store
  readonly #limit: number
  /** Oldest first. Each process counts what it has finished itself. */
  readonly #kept = new Set<string>()

  constructor(store: Store, limit: number) {
    this.#store = store
    this.#limit = limit
  }

  async save(task: LiveTask): Promise<void> {
    const record: TaskRecord = { principal: task.principal, task: task.toDetailedTask() }
    await this.#store.set(keyOf(task.taskId), JSON.stringify(record), task.remainingMs)
    this.#kept.add(task.taskId)
    for (const oldest of this.#kept) {
      if (this.#kept.size <= this.#limit) return
      this.#kept.delete(oldest)
      await this.#store.delete(keyOf(oldest))
    }
  }

  async load(taskId: string): Promise<TaskRecord | undefined> {
    const text = await this.#store.get(keyOf(taskId))
    if (text === undefined) return undefined
    const record: unknown = JSON.parse(text)
    return isJsonObject(record) ? (record as unknown as TaskRecord) : undefined
  }
}

function keyOf(taskId: string): string {
  return `task.${taskId}`
}
