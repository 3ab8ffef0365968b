import type { Server } from '../../server/index.ts'
import { LEGACY_TASKS } from './legacy-task.ts'
import { TASKS_EXTENSION } from './task.ts'
import { TaskService, type TasksOptions } from './task-service.ts'

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

/** The tasks of one server. Running ones belong to this process; finished ones are in the store. */
export class Tasks {
  readonly #service: TaskService

  constructor(app: Server, options: TasksOptions) {
    const service = new TaskService({
      ...options,
      legacy: true,
      store: options.store ?? app.store,
      onError: (thrown) => app.onInternalError(thrown),
    })
    this.#service = service
    app
      .extension(TASKS_EXTENSION)
      .runTasks(service.run, LEGACY_TASKS)
      .announce({
        grant: (asked, exchange) => service.grant(asked, exchange),
        listen: (granted, exchange) => service.listen(granted, exchange),
      })
    for (const method of ['tasks/get', 'tasks/result', 'tasks/list', 'tasks/update', 'tasks/cancel']) {
      app.method(method, (exchange) => service.handle(exchange))
    }
  }

  get running(): number {
    return this.#service.running
  }

  /** Cancels what runs: the server shuts down. */
  close(): void {
    this.#service.close('The server is shutting down')
  }
}
