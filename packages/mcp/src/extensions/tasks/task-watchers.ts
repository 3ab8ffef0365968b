import type { Exchange } from '../../exchange/index.ts'
import type { RunningTask } from './running-task.ts'
import type { DetailedTask } from './task.ts'

type Notify = Exchange['notify']

/** Who listens to which task, through `subscriptions/listen`. */
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

  /** Tells the listeners when the turn is over, so that questions asked together are told together. */
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
