import { complete, type Exchange, type Notification, type Outcome } from '../../exchange/index.ts'
import { isJsonObject, McpError, type JsonObject } from '../../jsonrpc/index.ts'
import { parseDuration, type Duration } from '../../protocol/index.ts'
import type { Client, RequestOptions } from '../../client/index.ts'
import { awaitTask } from './await-task.ts'
import { readTask } from './read-task.ts'
import { withTasks, type Task } from './task.ts'
import { orderOf, withOrder, type TaskOrder } from './task-order.ts'
import { TaskRun, type SavedTask } from './task-run.ts'

export interface TaskClientOptions {
  /** Listen to tasks besides polling, where the server offers it. Default true. */
  notifications?: boolean
  /** How often to poll where the server does not say. Default 1 s. */
  pollInterval?: Duration
  /** How long a call may wait for its task in all. Default: as long as the server keeps the task. */
  maxWait?: Duration
}

const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged'

type Next = (exchange?: Exchange) => Promise<Outcome>

/**
 * Lets a client follow tasks (SEP-2663). From then on the extension is declared with every call, `client.call`
 * waits for the results of tasks as if there were none, and questions go to the client's own handlers.
 *
 * @example
 * ```ts
 * const tasks = createTaskClient(client)
 * const image = await client.call('render', { scene: 7 })          // waits
 *
 * const run = await tasks.start('render', { scene: 7 })            // does not wait
 * await writeFile('run.json', JSON.stringify(run))
 * const later = await tasks.resume(saved).result()                 // another process, perhaps
 * ```
 */
export function createTaskClient(
  client: Pick<Client, 'use' | 'call' | 'request' | 'handle'>,
  options: TaskClientOptions = {},
): TaskClient {
  return new TaskClient(client, options)
}

export class TaskClient {
  readonly #client: Pick<Client, 'use' | 'call' | 'request' | 'handle'>
  readonly #options: TaskClientOptions

  constructor(client: Pick<Client, 'use' | 'call' | 'request' | 'handle'>, options: TaskClientOptions) {
    this.#client = client
    this.#options = options
    client.use((exchange, next) => this.#pass(exchange, next))
  }

  /** Calls a tool and does not wait for its task. Questions that come before the task are answered. */
  async start(tool: string, args?: JsonObject, options: RequestOptions = {}): Promise<TaskRun> {
    let outcome: Outcome | undefined
    const take = (taken: Outcome): void => {
      outcome = taken
    }
    const params = args === undefined ? { name: tool } : { name: tool, arguments: args }
    await this.#client.request('tools/call', params, {
      ...options,
      meta: withOrder(options.meta, { owner: this, kind: 'start', take }),
    })
    return this.resume(savedFrom(tool, outcome))
  }

  /** Takes up a run again, from what `JSON.stringify(run)` wrote. */
  resume(saved: SavedTask): TaskRun {
    if (!isJsonObject(saved) || typeof saved.tool !== 'string') {
      throw new McpError('invalid_config', 'This is not a run that start() returned')
    }
    return new TaskRun(saved, {
      request: (method, params, options) => this.#client.request(method, params, options),
      follow: (followed, options) =>
        this.#client.call(followed.tool, undefined, {
          ...options,
          meta: withOrder(options.meta, { owner: this, kind: 'follow', saved: followed }),
        }),
    })
  }

  async #pass(given: Exchange, next: Next): Promise<Outcome> {
    const { method } = given
    if (method !== 'tools/call' && !method.startsWith('tasks/')) return next(given)
    const { client } = given
    const exchange = { ...given, client: { ...client, capabilities: withTasks(client.capabilities) } }
    if (method !== 'tools/call') return next(exchange)
    const order = orderOf(exchange)
    if (order && order.owner !== this) return next(exchange)
    return order?.kind === 'follow'
      ? this.#follow(order.saved, exchange, next)
      : this.#call(exchange, next, order)
  }

  async #call(exchange: Exchange, next: Next, order: TaskOrder | undefined): Promise<Outcome> {
    const outcome = await next(exchange)
    if (outcome.type !== 'task' && outcome.type !== 'complete') return outcome
    if (order?.kind === 'start') {
      order.take(outcome)
      return complete({})
    }
    // Without handlers the task itself is what the caller wants: `client.start`.
    if (outcome.type === 'complete' || !exchange.ask) return outcome
    return this.#await(readTask(outcome.task), exchange, next, true)
  }

  async #follow({ taskId, result }: SavedTask, exchange: Exchange, next: Next): Promise<Outcome> {
    if (isJsonObject(result)) return complete(result)
    if (typeof taskId !== 'string') throw new McpError('invalid_config', 'The saved run names no task')
    return this.#await({ taskId }, exchange, next, false)
  }

  #await(task: Task | { taskId: string }, exchange: Exchange, next: Next, owned: boolean): Promise<Outcome> {
    const { notifications = true, pollInterval = '1s', maxWait } = this.#options
    let messages = 0
    return awaitTask(task, {
      owned,
      signal: exchange.signal,
      pollIntervalMs: parseDuration(pollInterval),
      maxWaitMs: maxWait === undefined ? Number.POSITIVE_INFINITY : parseDuration(maxWait),
      ask: exchange.ask ?? unanswered,
      send: (method, params, signal) =>
        next({ ...exchange, method, params: { ...params, ...traced(exchange) }, signal, ask: undefined }),
      listen: notifications ? (...listening) => this.#listen(exchange, ...listening) : undefined,
      // Tasks have no progress of their own: what they say about themselves is the nearest thing.
      onMessage: (message) =>
        exchange.notify({ method: 'notifications/progress', params: { progress: ++messages, message } }),
    })
  }

  /** Beside the time limits of requests: it lasts as long as the task. Polling goes on whatever happens here. */
  #listen({ client }: Exchange, taskId: string, onTask: (task: unknown) => void, signal: AbortSignal): void {
    const refused = new AbortController()
    const notify = ({ method, params }: Notification): void => {
      if (method === 'notifications/tasks') onTask(params)
      else if (method === ACKNOWLEDGED && !grants(params, taskId)) refused.abort()
    }
    const params = { notifications: { taskIds: [taskId] } }
    const until = AbortSignal.any([signal, refused.signal])
    this.#client
      .handle({ method: 'subscriptions/listen', params, client, signal: until, notify })
      .catch(() => {})
  }
}

/** A server that does not announce tasks leaves them out; there is no use in holding the stream then. */
function grants(params: JsonObject | undefined, taskId: string): boolean {
  const granted = params?.notifications
  return isJsonObject(granted) && Array.isArray(granted.taskIds) && granted.taskIds.includes(taskId)
}

/** What belongs to the call and not to one message: trace context, mostly. */
function traced({ params: { _meta } }: Exchange): JsonObject {
  if (!isJsonObject(_meta)) return {}
  const { progressToken: _, ...rest } = _meta
  return Object.keys(rest).length > 0 ? { _meta: rest } : {}
}

function savedFrom(tool: string, outcome: Outcome | undefined): SavedTask {
  if (outcome?.type === 'task') return { tool, taskId: readTask(outcome.task).taskId }
  return { tool, result: outcome?.type === 'complete' ? outcome.result : {} }
}

async function unanswered(): Promise<never> {
  throw new McpError('missing_capability', 'The task asks for input, which this call cannot give')
}
