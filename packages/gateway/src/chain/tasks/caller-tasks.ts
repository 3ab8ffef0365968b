import {
  deriveExchange,
  type Exchange,
  INTERNAL_ERROR,
  type Outcome,
  ProtocolError,
  type TaskHandle,
} from '@gantry/mcp/exchange'
import { declaresTasks, missingTasks, TaskService, TASKS_EXTENSION } from '@gantry/mcp/extensions/tasks'
import type { EndpointCatalog } from '../../catalog/endpoint-catalog.ts'
import type { TargetCatalog } from '../../catalog/target-catalog.ts'
import type { Store } from '../../store/index.ts'
import { absent, methodNotFound } from '../absent.ts'
import type { GatewayExchange, ResolvedExchange } from '../gateway-exchange.ts'
import type { CallerCatalog } from '../policy/caller-catalog.ts'
import type { CallerTask, TaskIds } from './task-ids.ts'

/**
 * Finds the tasks of a caller. Another caller's task, and one of a tool that the caller may not see, does not exist.
 */
export class CallerTasks {
  readonly #ids: TaskIds
  readonly #catalog: EndpointCatalog

  constructor(ids: TaskIds, catalog: EndpointCatalog) {
    this.#ids = ids
    this.#catalog = catalog
  }

  async find(taskId: unknown, exchange: GatewayExchange): Promise<CallerTask | undefined> {
    const origin = await this.#ids.read(taskId, exchange)
    const catalog = origin && this.#catalog.catalogs.find(({ target }) => target.name === origin.target)
    if (!catalog) return undefined
    const task = { ...origin, catalog, shown: taskId as string }
    const asked = deriveExchange(exchange, { params: { taskId: task.own } })
    const { target } = catalog
    const isThere =
      task.isOwn ||
      (target.serverOf(asked) === task.server && (await target.processes.isThere(task.process, asked)))
    return isThere && maySeeTask(task, exchange.visible) ? task : undefined
  }

  /** Returns the task that the params name. Throws the error that says that there is no such task. */
  async require(exchange: GatewayExchange): Promise<CallerTask> {
    const { client, method, params, visible } = exchange
    if (!TASK_METHODS.has(method)) throw methodNotFound(method)
    const found = declaresTasks(client) && (await this.find(params.taskId, exchange))
    if (found) return found
    await visible.ready()
    // Whether there can be tasks, for this client at least.
    if (!visible.capabilities().extensions?.[TASKS_EXTENSION]) throw methodNotFound(method)
    throw declaresTasks(client) ? absent(exchange) : missingTasks()
  }

  /**
   * Asks the gateway that runs a task. Returns undefined when this gateway runs it, or when the other gateway is gone:
   * finished tasks are in the store.
   */
  async askRunner({ at, catalog }: CallerTask, exchange: Exchange): Promise<Outcome | undefined> {
    const { target } = catalog
    return isElsewhere(at, target) ? target.askAt(at, exchange, this.#ids.endpoint) : undefined
  }

  /** Listens to a task that another gateway runs, until the listener ends. Rejects when the other gateway is gone. */
  async listenAtRunner(task: CallerTask, exchange: Exchange): Promise<never> {
    const params = { ...exchange.params, notifications: { taskIds: [task.own] } }
    await this.askRunner(task, deriveExchange(exchange, { params })).catch(() => undefined)
    throw new ProtocolError(
      INTERNAL_ERROR,
      `The gateway that ran the task ${task.shown} is gone. Listen again: what is acknowledged is there`,
    )
  }

  /**
   * The handle of a new task, with the id that its caller gets. `asked` is what its target was asked, if it runs there.
   */
  async present(
    { task }: TaskHandle,
    exchange: ResolvedExchange,
    asked: GatewayExchange | undefined,
  ): Promise<TaskHandle> {
    const { target, kind, name } = exchange.resolved
    const made = asked
      ? { isOwn: false, server: asked.server!, process: await target.processes.of(asked), at: '' }
      : { isOwn: true, server: '', process: '', at: target.gateway ?? '' }
    const origin = { target: target.name, own: String(task.taskId), kind, name, ...made }
    return { type: 'task', task: { ...task, taskId: await this.#ids.write(origin, exchange) } }
  }
}

/** Whether another gateway runs a task, as far as its id says. */
export function isElsewhere(at: string, { gateway }: TargetCatalog['target']): boolean {
  return at !== '' && gateway !== undefined && at !== gateway
}

/** An object that the caller may not see any more has no tasks either. */
export function maySeeTask({ kind, catalog, name }: CallerTask, visible: CallerCatalog): boolean {
  return visible.maySee(kind, catalog, name)
}

/** Finished tasks that are kept for clients to come and get; the oldest make room. */
const KEPT = 100

/** Tasks that the gateway itself runs: calls of older servers, for modern clients that can follow them. */
export function createOwnTasks(store: Store, onError: (thrown: unknown) => void): TaskService {
  const rows = store.rows({ name: 'tasks', secret: true })
  const finished = {
    get: async (key: string) => (await rows.get(key))?.value,
    set: async (key: string, value: string, ttl: number) => void (await rows.put(key, value, { ttl })),
    delete: async (key: string) => void (await rows.remove(key)),
  }
  return new TaskService({ store: finished, maxFinished: KEPT, onError })
}

const TASK_METHODS: ReadonlySet<string> = new Set(['tasks/get', 'tasks/update', 'tasks/cancel'])
