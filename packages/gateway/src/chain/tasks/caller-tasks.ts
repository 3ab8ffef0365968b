import type { TaskHandle } from '@gantry/mcp/exchange'
import { declaresTasks, missingTasks, TASKS_EXTENSION } from '@gantry/mcp/extensions/tasks'
import type { CatalogView } from '../../catalog/catalog-view.ts'
import { isStillThere } from '../../targets/server-mark.ts'
import { withParams } from '../../relay/with-params.ts'
import { absent, methodNotFound } from '../absent.ts'
import type { GatewayExchange, ResolvedExchange } from '../gateway-exchange.ts'
import type { CallerView } from '../policy/caller-view.ts'
import { isForeignTaskMethod } from './own-tasks.ts'
import type { CallerTask, TaskIds } from './task-ids.ts'

/** Finds the tasks of a caller. Another caller's task, and one of a tool that the caller may not see, does not exist. */
export class CallerTasks {
  readonly #ids: TaskIds
  readonly #catalog: CatalogView

  constructor(ids: TaskIds, catalog: CatalogView) {
    this.#ids = ids
    this.#catalog = catalog
  }

  async find(taskId: unknown, exchange: GatewayExchange): Promise<CallerTask | undefined> {
    const origin = await this.#ids.read(taskId, exchange)
    const catalog = origin && this.#catalog.catalogs.find(({ target }) => target.name === origin.target)
    if (!catalog) return undefined
    const task = { ...origin, catalog, shown: taskId as string }
    const asked = withParams(exchange, { taskId: task.own })
    const { target } = catalog
    const isThere =
      task.isDesk ||
      (target.serverOf(asked) === task.server && isStillThere(task.process, target.processOf(asked)))
    return isThere && maySeeTask(task, exchange.view) ? task : undefined
  }

  /** The task that the params name, or the error that says there is none. */
  async require(exchange: GatewayExchange): Promise<CallerTask> {
    const { client, method, params, view } = exchange
    if (isForeignTaskMethod(exchange)) throw methodNotFound(method)
    const found = declaresTasks(client) && (await this.find(params.taskId, exchange))
    if (found) return found
    await view.ready()
    // Whether there can be tasks, for this client at least.
    if (!view.capabilities().extensions?.[TASKS_EXTENSION]) throw methodNotFound(method)
    throw declaresTasks(client) ? absent(exchange) : missingTasks()
  }

  /** The handle of a new task, with the id that its caller gets. `asked` is what its target was asked, if it runs there. */
  async present(
    { task }: TaskHandle,
    exchange: ResolvedExchange,
    asked: GatewayExchange | undefined,
  ): Promise<TaskHandle> {
    const { target, kind, name } = exchange.resolved
    const made = asked
      ? { isDesk: false, server: asked.server!, process: target.processOf(asked) }
      : { isDesk: true, server: '', process: '' }
    const origin = { target: target.name, own: String(task.taskId), kind, name, ...made }
    return { type: 'task', task: { ...task, taskId: await this.#ids.write(origin, exchange) } }
  }
}

/** What is not there for the caller any more has no tasks either. */
export function maySeeTask({ kind, catalog, name }: CallerTask, view: CallerView): boolean {
  return view.maySee(kind, catalog, name)
}
