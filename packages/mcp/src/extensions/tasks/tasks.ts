import type { Server } from '../../server/index.ts'
import { LEGACY_TASKS } from './legacy-task.ts'
import { TASKS_EXTENSION } from './task.ts'
import { TaskDesk, type TasksOptions } from './task-desk.ts'

/**
 * Lets clients follow long calls as tasks: tools with a `task` mode answer with a handle, and the client polls,
 * listens, answers questions and cancels through it. Modern clients do so by the extension (SEP-2663), those of
 * 2025-11-25 by the tasks of that revision; all others wait for the result as ever.
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
  readonly #desk: TaskDesk

  constructor(app: Server, options: TasksOptions) {
    const desk = new TaskDesk({
      ...options,
      legacy: true,
      store: options.store ?? app.store,
      onError: (thrown) => app.onInternalError(thrown),
    })
    this.#desk = desk
    app
      .extension(TASKS_EXTENSION)
      .runTasks(desk.run, LEGACY_TASKS)
      .announce({
        grant: (asked, exchange) => desk.grant(asked, exchange),
        listen: (granted, exchange) => desk.listen(granted, exchange),
      })
    for (const method of ['tasks/get', 'tasks/result', 'tasks/list', 'tasks/update', 'tasks/cancel']) {
      app.method(method, (exchange) => desk.handle(exchange))
    }
  }

  get running(): number {
    return this.#desk.running
  }

  /** Cancels what runs: the server shuts down. */
  close(): void {
    this.#desk.close('The server is shutting down')
  }
}
