import { isJsonObject, jsonReader, writeJson } from '../../jsonrpc/index.ts'
import type { Store } from '../../server/index.ts'
import type { RunningTask } from './running-task.ts'
import type { DetailedTask } from './task.ts'
import type { Listed, TaskIndex } from './task-index.ts'

export interface TaskRecord {
  owner: string | undefined
  task: DetailedTask
}

/** Finished tasks, which live in the store until they expire. */
export class TaskRecords {
  readonly #store: Store
  readonly #limit: number
  /** Where tasks are listed (2025-11-25). */
  readonly #index: TaskIndex | undefined
  /** Oldest first. Each process counts what it has finished itself. */
  readonly #kept = new Set<string>()

  constructor(store: Store, limit: number, index?: TaskIndex) {
    this.#store = store
    this.#limit = limit
    this.#index = index
  }

  async save(task: RunningTask): Promise<void> {
    const record: TaskRecord = { owner: task.owner, task: task.toDetailedTask() }
    const { taskId, owner, createdAt, remainingMs } = task
    await this.#store.set(keyOf(taskId), writeJson(record), remainingMs)
    if (owner !== undefined) {
      await this.#index?.add(owner, { taskId, createdAt, expiresAt: Date.now() + remainingMs })
    }
    this.#kept.add(taskId)
    for (const oldest of this.#kept) {
      if (this.#kept.size <= this.#limit) return
      this.#kept.delete(oldest)
      await this.#store.delete(keyOf(oldest))
    }
  }

  async load(taskId: string): Promise<TaskRecord | undefined> {
    const text = await this.#store.get(keyOf(taskId))
    if (text === undefined) return undefined
    const record: unknown = jsonReader('source')(text)
    return isJsonObject(record) ? (record as unknown as TaskRecord) : undefined
  }

  async listed(owner: string): Promise<Listed[]> {
    return (await this.#index?.list(owner)) ?? []
  }
}

function keyOf(taskId: string): string {
  return `task.${taskId}`
}
