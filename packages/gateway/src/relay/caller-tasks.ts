import { INVALID_PARAMS, ProtocolError, type Exchange, type TaskHandle } from '@gantry/mcp/exchange'
import { declaresTasks, missingTasks, TASKS_EXTENSION } from '@gantry/mcp/extensions/tasks'
import type { CatalogView } from '../catalog/catalog-view.ts'
import { isStillThere } from '../targets/server-mark.ts'
import type { Target } from '../targets/target.ts'
import { methodNotFound, type Destination, type Resolver } from './resolver.ts'
import { withParams } from './relayed-exchange.ts'
import type { TaskIds, TaskOrigin } from './task-ids.ts'

/** A task of the caller's. */
export interface CallerTask extends Omit<TaskOrigin, 'target'> {
  readonly target: Target
  /** The id that the caller knows. */
  readonly shown: string
}

/** Finds the tasks of a caller. Another caller's task, and one of a tool that policy denies, does not exist. */
export class CallerTasks {
  readonly #ids: TaskIds
  readonly #catalog: CatalogView

  constructor(ids: TaskIds, catalog: CatalogView) {
    this.#ids = ids
    this.#catalog = catalog
  }

  async find(taskId: unknown, exchange: Exchange, resolver: Resolver): Promise<CallerTask | undefined> {
    const origin = await this.#ids.read(taskId, exchange)
    const owner = origin && this.#catalog.catalogs.find(({ target }) => target.name === origin.target)
    if (!owner) return undefined
    const task = { ...origin, target: owner.target, shown: taskId as string }
    const asked = withParams(exchange, { taskId: task.own })
    const isThere =
      task.isDesk ||
      (owner.target.serverOf(asked) === task.server &&
        isStillThere(task.process, owner.target.processOf(asked)))
    return isThere && isPermitted(task, exchange, resolver) ? task : undefined
  }

  /** The task that the params name, or the error that says there is none. */
  async require(exchange: Exchange, resolver: Resolver): Promise<CallerTask> {
    const { taskId } = exchange.params
    const found = declaresTasks(exchange.client) && (await this.find(taskId, exchange, resolver))
    if (found) return found
    await checkTasks(exchange, resolver)
    throw new ProtocolError(INVALID_PARAMS, `Unknown task: ${String(taskId)}`)
  }

  /** The handle of a new task, with the id that its caller gets. */
  async present(
    { task }: TaskHandle,
    { target, object }: Destination,
    exchange: Exchange,
    made: Pick<TaskOrigin, 'isDesk' | 'server' | 'process'>,
  ): Promise<TaskHandle> {
    const origin = { target: target.name, own: String(task.taskId), ...made, ...object }
    return { type: 'task', task: { ...task, taskId: await this.#ids.write(origin, exchange) } }
  }
}

/** Whether there can be tasks, for this client at least. */
async function checkTasks(exchange: Exchange, resolver: Resolver): Promise<void> {
  const view = resolver.viewOf(exchange)
  await view.ready()
  if (!view.capabilities().extensions?.[TASKS_EXTENSION]) throw methodNotFound(exchange.method)
  if (!declaresTasks(exchange.client)) throw missingTasks()
}

/** What may not be called any more has no tasks either. */
export function isPermitted(
  { kind, target, name }: CallerTask,
  exchange: Exchange,
  resolver: Resolver,
): boolean {
  return resolver.permits(kind, target, name, exchange)
}
