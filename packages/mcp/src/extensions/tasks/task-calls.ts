import { complete, type Exchange, type Notification, type Outcome } from '../../exchange/index.ts'
import { isJsonObject, McpError, METHOD_NOT_FOUND, type JsonObject } from '../../jsonrpc/index.ts'
import { parseDuration, type Duration } from '../../protocol/index.ts'
import type { Client, Deadline } from '../../client/index.ts'
import { awaitTask } from './await-task.ts'
import { readTask } from './read-task.ts'
import { withTasks, type Task } from './task.ts'
import { orderOf, type TaskOrder } from './task-order.ts'
import type { SavedTask } from './task-run.ts'
import { TaskSupport, type SupportingClient } from './task-support.ts'

export interface TaskCallOptions {
  /** Listen to tasks besides polling, where the server offers it. Default true. */
  notifications?: boolean
  /** How often to poll where the server does not say. Default 1 s. */
  pollInterval?: Duration
}

export type CallingClient = SupportingClient & Pick<Client, 'handle' | 'deadlineOf'>

const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged'

type Next = (exchange?: Exchange) => Promise<Outcome>

/** The middleware that makes calls wait for the results of their tasks. */
export class TaskCalls {
  readonly #client: CallingClient
  readonly #options: TaskCallOptions
  readonly #support: TaskSupport

  constructor(client: CallingClient, options: TaskCallOptions) {
    this.#client = client
    this.#options = options
    this.#support = new TaskSupport(client)
  }

  async pass(given: Exchange, next: Next): Promise<Outcome> {
    const { method } = given
    if (method === 'tools/list') return this.#learn(await next(given), given)
    if (method !== 'tools/call' && !method.startsWith('tasks/')) return next(given)
    const { client } = given
    const exchange = { ...given, client: { ...client, capabilities: withTasks(client.capabilities) } }
    if (method !== 'tools/call') return next(exchange)
    const order = orderOf(exchange)
    if (order && order.owner !== this) return next(exchange)
    const deadline = this.#client.deadlineOf(given)
    const words = new TaskWords(given.notify, deadline)
    exchange.notify = words.notify
    try {
      return await (order?.kind === 'follow'
        ? this.#follow(order.saved, exchange, next, words)
        : this.#call(exchange, next, order, words))
    } finally {
      deadline.dispose()
    }
  }

  #learn(outcome: Outcome, { params }: Exchange): Outcome {
    if (outcome.type === 'complete') {
      this.#support.learn(outcome.result.tools, params.cursor === undefined)
    }
    return outcome
  }

  async #call(
    exchange: Exchange,
    next: Next,
    order: TaskOrder | undefined,
    words: TaskWords,
  ): Promise<Outcome> {
    const isLegacy = await this.#support.isOffered(exchange.signal)
    const outcome = await (isLegacy ? this.#askForTask(exchange, next, order) : next(exchange))
    if (outcome.type !== 'task' && outcome.type !== 'complete') return outcome
    if (order?.kind === 'start') {
      order.take(outcome)
      return complete({})
    }
    // Without handlers the task itself is what the caller wants: `client.start`.
    if (outcome.type === 'complete' || !exchange.ask) return outcome
    return this.#await(readTask(outcome.task), exchange, next, { owned: true, legacy: isLegacy, words })
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

  async #follow(
    { taskId, result }: SavedTask,
    exchange: Exchange,
    next: Next,
    words: TaskWords,
  ): Promise<Outcome> {
    if (isJsonObject(result)) return complete(result)
    if (typeof taskId !== 'string') throw new McpError('invalid_config', 'The saved run names no task')
    const legacy = await this.#support.isOffered(exchange.signal)
    return this.#await({ taskId }, exchange, next, { owned: false, legacy, words })
  }

  #await(
    task: Task | { taskId: string },
    exchange: Exchange,
    next: Next,
    facts: { owned: boolean; legacy: boolean; words: TaskWords },
  ): Promise<Outcome> {
    const { notifications = true, pollInterval = '1s' } = this.#options
    const { deadline } = facts.words
    // The creation of the task had limits of its own.
    deadline.touch()
    const answer = exchange.ask ?? unanswered
    const ask: typeof answer = (requests, signal) => deadline.whilePaused(() => answer(requests, signal))
    return awaitTask(task, {
      ...facts,
      signal: deadline.signal,
      pollIntervalMs: parseDuration(pollInterval),
      maxWaitMs: Number.POSITIVE_INFINITY,
      ask,
      send: (method, params, signal) => {
        // Questions and progress of a task of 2025-11-25 come with the request for its result.
        const isResult = method === 'tasks/result'
        const asked = { ...params, ...traced(exchange, isResult) }
        return next({ ...exchange, method, params: asked, signal, ask: isResult ? ask : undefined })
      },
      listen: notifications ? (...listening) => this.#listen(exchange, facts, ...listening) : undefined,
      onNews: () => deadline.touch(),
      onMessage: (message) => facts.words.say(message),
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
      signal.addEventListener('abort', onStatus(this.#client, onTask), { once: true })
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

/** Tells what servers of 2025-11-25 announce of any task, which they need not do. Returns what stops it. */
export function onStatus(client: Pick<Client, 'on'>, listener: (task: Task) => void): () => void {
  return client.on('notification', ({ method, params }) => {
    if (method === 'notifications/tasks/status') listener(readTask(params))
  })
}

/** The notifications of a task to its caller. Its status message is the only sign of progress that all tasks have. */
class TaskWords {
  readonly deadline: Deadline
  readonly #notify: Exchange['notify']
  #messages = 0
  #hasProgress = false

  constructor(notify: Exchange['notify'], deadline: Deadline) {
    this.#notify = notify
    this.deadline = deadline
  }

  readonly notify: Exchange['notify'] = (notification) => {
    if (notification.method === 'notifications/progress') {
      this.#hasProgress = true
      this.deadline.touch()
    }
    this.#notify(notification)
  }

  /** A task that reports progress says the same there, and earlier: a status that was asked for may be old. */
  say(message: string): void {
    if (this.#hasProgress) return
    this.#notify({ method: 'notifications/progress', params: { progress: ++this.#messages, message } })
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

/** Metadata of the call and not of one message: mostly the trace context. */
function traced({ params: { _meta } }: Exchange, withProgress: boolean): JsonObject {
  if (!isJsonObject(_meta)) return {}
  if (withProgress) return { _meta }
  const { progressToken: _, ...rest } = _meta
  return Object.keys(rest).length > 0 ? { _meta: rest } : {}
}

async function unanswered(): Promise<never> {
  throw new McpError('missing_capability', 'The task asks for input, which this call cannot give')
}
