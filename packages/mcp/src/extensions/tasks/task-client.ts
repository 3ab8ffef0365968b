import type { InputResponses, Outcome } from '../../exchange/index.ts'
import { isJsonObject, McpError, type JsonObject } from '../../jsonrpc/index.ts'
import { type Duration, type FormsOf, requireKnownOptions } from '../../protocol/index.ts'
import type { CallResult, Client, Pages, RequestOptions } from '../../client/index.ts'
import { readTask } from './read-task.ts'
import { receiveTasks, type ReceivingClient } from './receive-tasks.ts'
import type { DetailedTask, Task } from './task.ts'
import { onStatus, TaskCalls, type CallingClient, type TaskCallOptions } from './task-calls.ts'
import { withOrder } from './task-order.ts'
import { TaskRun, type SavedTask } from './task-run.ts'

export interface TaskClientOptions extends TaskCallOptions {
  /** Let 2025-11-25 servers run sampling and elicitation as tasks. Default false. */
  receive?: boolean
}

const CLIENT_OPTIONS: FormsOf<TaskClientOptions> = {
  notifications: 'true or false',
  pollInterval: 1,
  receive: 'true or false',
}

export type TaskingClient = CallingClient &
  ReceivingClient &
  Pick<Client, 'use' | 'call' | 'request' | 'list'>

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
  readonly #calls: TaskCalls

  constructor(client: TaskingClient, options: TaskClientOptions) {
    requireKnownOptions('task client', CLIENT_OPTIONS, options)
    this.#client = client
    this.#calls = new TaskCalls(client, options)
    client.use((exchange, next) => this.#calls.pass(exchange, next))
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
      meta: withOrder(rest.meta, { owner: this.#calls, kind: 'start', ttl, take }),
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
          meta: withOrder(options.meta, { owner: this.#calls, kind: 'follow', saved: followed }),
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
    return onStatus(this.#client, listener)
  }
}

function savedFrom(tool: string, outcome: Outcome | undefined): SavedTask {
  if (outcome?.type === 'task') return { tool, taskId: readTask(outcome.task).taskId }
  return { tool, result: outcome?.type === 'complete' ? outcome.result : {} }
}
