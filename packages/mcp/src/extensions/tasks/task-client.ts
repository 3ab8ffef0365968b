import {
  complete,
  type Exchange,
  type InputResponses,
  type Notification,
  type Outcome,
} from '../../exchange/index.ts'
import { isJsonObject, McpError, METHOD_NOT_FOUND, type JsonObject } from '../../jsonrpc/index.ts'
import { parseDuration, type Duration } from '../../protocol/index.ts'
import type { CallResult, Client, Pages, RequestOptions } from '../../client/index.ts'
import { awaitTask } from './await-task.ts'
import { readTask } from './read-task.ts'
import { receiveTasks, type ReceivingClient } from './receive-tasks.ts'
import { withTasks, type DetailedTask, type Task } from './task.ts'
import { orderOf, withOrder, type TaskOrder } from './task-order.ts'
import { TaskRun, type SavedTask } from './task-run.ts'
import { TaskSupport, type SupportingClient } from './task-support.ts'

export interface TaskClientOptions {
  /** Listen to tasks besides polling, where the server offers it. Default true. */
  notifications?: boolean
  /** How often to poll where the server does not say. Default 1 s. */
  pollInterval?: Duration
  /** How long a call may wait for its task in all. Default: as long as the server keeps the task. */
  maxWait?: Duration
  /** Let 2025-11-25 servers run sampling and elicitation as tasks. Default false. */
  receive?: boolean
}

const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged'

type Next = (exchange?: Exchange) => Promise<Outcome>

export type TaskingClient = SupportingClient &
  ReceivingClient &
  Pick<Client, 'use' | 'call' | 'request' | 'list' | 'handle'>

export interface TaskRequestOptions extends RequestOptions {
  /** How long the task should be kept; servers of 2025-11-25 may listen to it, later ones decide alone. */
  ttl?: Duration
}

/**
 * Lets a client follow tasks: those of the extension (SEP-2663) and, of servers that speak 2025-11-25, those of
 * that revision. From then on `client.call` waits for the results of tasks as if there were none, and questions
 * go to the client's own handlers.
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
export function createTaskClient(client: TaskingClient, options: TaskClientOptions = {}): TaskClient {
  return new TaskClient(client, options)
}

export class TaskClient {
  readonly #client: TaskingClient
  readonly #options: TaskClientOptions
  readonly #support: TaskSupport

  constructor(client: TaskingClient, options: TaskClientOptions) {
    this.#client = client
    this.#options = options
    this.#support = new TaskSupport(client)
    client.use((exchange, next) => this.#pass(exchange, next))
    if (options.receive) receiveTasks(client)
  }

  /** Calls a tool and does not wait for its task. Questions that come before the task are answered. */
  async start(tool: string, args?: JsonObject, options: TaskRequestOptions = {}): Promise<TaskRun> {
    const { ttl, ...rest } = options
    let outcome: Outcome | undefined
    const take = (taken: Outcome): void => {
      outcome = taken
    }
    const params = args === undefined ? { name: tool } : { name: tool, arguments: args }
    await this.#client.request('tools/call', params, {
      ...rest,
      meta: withOrder(rest.meta, { owner: this, kind: 'start', ttl, take }),
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

  async get(taskId: string, options: RequestOptions = {}): Promise<DetailedTask> {
    return readTask(await this.#client.request('tasks/get', { taskId }, options))
  }

  /** Waits for the result of a tool's task, by its id alone, and answers questions meanwhile. */
  result(taskId: string, options: RequestOptions = {}): Promise<CallResult> {
    return this.resume({ tool: '', taskId }).result(options)
  }

  /** Asks the server to stop. Servers of 2025-11-25 refuse when the task is over, and say how it stands else. */
  async cancel(taskId: string, options: RequestOptions = {}): Promise<Task | undefined> {
    const answer = await this.#client.request('tasks/cancel', { taskId }, options)
    return answer.taskId === undefined ? undefined : readTask(answer)
  }

  /** Answers questions of a task by hand; only modern servers take answers so (`tasks/update`). */
  async update(taskId: string, inputResponses: InputResponses, options: RequestOptions = {}): Promise<void> {
    await this.#client.request('tasks/update', { taskId, inputResponses }, options)
  }

  /** The caller's tasks; only servers of 2025-11-25 list them. */
  list(options: RequestOptions = {}): Pages<Task> {
    return this.#client.list<unknown>('tasks/list', 'tasks', options).map(readTask)
  }

  /** Tells what servers of 2025-11-25 announce of any task, which they need not do. Returns what stops it. */
  onStatus(listener: (task: Task) => void): () => void {
    return this.#client.on('notification', ({ method, params }) => {
      if (method === 'notifications/tasks/status') listener(readTask(params))
    })
  }

  async #pass(given: Exchange, next: Next): Promise<Outcome> {
    const { method } = given
    if (method === 'tools/list') return this.#learn(await next(given), given)
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

  #learn(outcome: Outcome, { params }: Exchange): Outcome {
    if (outcome.type === 'complete') {
      this.#support.learn(outcome.result.tools, params.cursor === undefined)
    }
    return outcome
  }

  async #call(exchange: Exchange, next: Next, order: TaskOrder | undefined): Promise<Outcome> {
    const isLegacy = await this.#support.isOffered(exchange.signal)
    const outcome = await (isLegacy ? this.#askForTask(exchange, next, order) : next(exchange))
    if (outcome.type !== 'task' && outcome.type !== 'complete') return outcome
    if (order?.kind === 'start') {
      order.take(outcome)
      return complete({})
    }
    // Without handlers the task itself is what the caller wants: `client.start`.
    if (outcome.type === 'complete' || !exchange.ask) return outcome
    return this.#await(readTask(outcome.task), exchange, next, { owned: true, legacy: isLegacy })
  }

  /** In 2025-11-25 it is the client that makes a task of a call, of tools that allow it. */
  async #askForTask(exchange: Exchange, next: Next, order: TaskOrder | undefined): Promise<Outcome> {
    const tool = String(exchange.params.name)
    const ttl = order?.kind === 'start' ? order.ttl : undefined
    const task = ttl === undefined ? {} : { ttl: parseDuration(ttl) }
    const send = async (asTask: boolean): Promise<Outcome> => {
      if (!asTask) return next(exchange)
      return toHandle(await next({ ...exchange, params: { ...exchange.params, task } }))
    }
    const asTask = await this.#support.has(tool, exchange.signal)
    const outcome = await send(asTask)
    if (outcome.type !== 'error' || outcome.error.code !== METHOD_NOT_FOUND) return outcome
    // The tool may have changed its mind since it was listed; nothing has happened yet.
    await this.#support.relearn(tool, exchange.signal)
    const isTask = await this.#support.has(tool, exchange.signal)
    return isTask === asTask ? outcome : send(isTask)
  }

  async #follow({ taskId, result }: SavedTask, exchange: Exchange, next: Next): Promise<Outcome> {
    if (isJsonObject(result)) return complete(result)
    if (typeof taskId !== 'string') throw new McpError('invalid_config', 'The saved run names no task')
    const legacy = await this.#support.isOffered(exchange.signal)
    return this.#await({ taskId }, exchange, next, { owned: false, legacy })
  }

  #await(
    task: Task | { taskId: string },
    exchange: Exchange,
    next: Next,
    facts: { owned: boolean; legacy: boolean },
  ): Promise<Outcome> {
    const { notifications = true, pollInterval = '1s', maxWait } = this.#options
    let messages = 0
    let hasProgress = false
    const notify: Exchange['notify'] = (notification) => {
      hasProgress ||= notification.method === 'notifications/progress'
      exchange.notify(notification)
    }
    return awaitTask(task, {
      ...facts,
      signal: exchange.signal,
      pollIntervalMs: parseDuration(pollInterval),
      maxWaitMs: maxWait === undefined ? Number.POSITIVE_INFINITY : parseDuration(maxWait),
      ask: exchange.ask ?? unanswered,
      send: (method, params, signal) => {
        // Questions and progress of a task of 2025-11-25 come with the request for its result.
        const isResult = method === 'tasks/result'
        const ask = isResult ? exchange.ask : undefined
        const meta = traced(exchange, isResult)
        return next({ ...exchange, method, params: { ...params, ...meta }, signal, ask, notify })
      },
      listen: notifications ? (...listening) => this.#listen(exchange, facts, ...listening) : undefined,
      // What tasks say about themselves is the nearest thing to progress that all of them have.
      onMessage: (message) => {
        if (hasProgress) return
        exchange.notify({ method: 'notifications/progress', params: { progress: ++messages, message } })
      },
    })
  }

  /** Beside the time limits of requests: it lasts as long as the task. Polling goes on whatever happens here. */
  #listen(
    { client }: Exchange,
    { legacy }: { legacy: boolean },
    taskId: string,
    onTask: (task: unknown) => void,
    signal: AbortSignal,
  ): void {
    if (legacy) {
      signal.addEventListener('abort', this.onStatus(onTask), { once: true })
      return
    }
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

/** A server of 2025-11-25 puts the handle into a complete result. */
function toHandle(outcome: Outcome): Outcome {
  if (outcome.type !== 'complete' || !isJsonObject(outcome.result.task)) return outcome
  return { type: 'task', task: outcome.result.task }
}

/** A server that does not announce tasks leaves them out; there is no use in holding the stream then. */
function grants(params: JsonObject | undefined, taskId: string): boolean {
  const granted = params?.notifications
  return isJsonObject(granted) && Array.isArray(granted.taskIds) && granted.taskIds.includes(taskId)
}

/** What belongs to the call and not to one message: trace context, mostly. */
function traced({ params: { _meta } }: Exchange, withProgress: boolean): JsonObject {
  if (!isJsonObject(_meta)) return {}
  if (withProgress) return { _meta }
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
