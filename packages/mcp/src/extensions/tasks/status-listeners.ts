import type { Exchange, Notification } from '../../exchange/index.ts'
import { toLegacyTask } from './legacy-task.ts'
import type { LiveTask } from './live-task.ts'
import type { TaskStatus } from './task.ts'

type Notify = Exchange['notify']

/** Tells sessions of 2025-11-25 what becomes of their tasks (`notifications/tasks/status`). */
export class StatusListeners {
  readonly #sessions = new Map<string, Notify>()
  /** Changed since the turn began, with the status that was told last. */
  readonly #told = new WeakMap<LiveTask, TaskStatus>()
  readonly #dirty = new Set<LiveTask>()

  /** Returns what ends it. */
  add(session: string, notify: Notify): () => void {
    this.#sessions.set(session, notify)
    return () => void this.#sessions.delete(session)
  }

  notify({ session }: LiveTask, notification: Notification): void {
    if (session !== undefined) this.#sessions.get(session)?.(notification)
  }

  /** When the turn is over: the answer that names the task has to come first. */
  changed(task: LiveTask): void {
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
