import {
  complete,
  deriveExchange,
  failure,
  playRounds,
  signalCancellation,
  type Exchange,
  type Handle,
  type Outcome,
} from '../../exchange/index.ts'
import {
  METHOD_NOT_FOUND,
  ProtocolError,
  type JsonObject,
  isJsonObject,
  withoutLate,
} from '../../jsonrpc/index.ts'
import { eraOf } from '../../protocol/index.ts'
import type { TaskMode, TaskRunner, Context } from '../../server/index.ts'
import { hasLegacyTasks, requestedTtl } from './legacy-task.ts'
import type { RunningTask } from './running-task.ts'
import { declaresTasks, missingTasks } from './task.ts'
import type { BegunTask, TaskTable } from './task-table.ts'

/** Runs the calls of tools that have a task mode; with `legacy`, also for clients of 2025-11-25. */
export function createTaskRunner(table: TaskTable, legacy: boolean): TaskRunner {
  return (exchange, mode, call) => {
    if (legacy && hasLegacyTasks(exchange)) return runForLegacy(exchange, mode, call, table)
    if (mode === undefined) return call(exchange)
    if (declaresTasks(exchange.client)) {
      return mode === 'manual' ? runManually(exchange, call, table) : runAtOnce(exchange, call, table)
    }
    if (mode === 'required' && eraOf(exchange.client.version) === 'modern') throw missingTasks()
    return call(exchange)
  }
}

/** Here the client says which calls are to be tasks, and gets one then in any case (2025-11-25, Tasks). */
function runForLegacy(
  exchange: Exchange,
  mode: TaskMode | undefined,
  call: Handle,
  table: TaskTable,
): Outcome | Promise<Outcome> {
  const { name, task } = exchange.params
  if (task === undefined) {
    if (mode !== 'required') return call(exchange)
    throw new ProtocolError(METHOD_NOT_FOUND, `The tool ${name} can be called as a task only`)
  }
  if (mode === undefined) {
    throw new ProtocolError(METHOD_NOT_FOUND, `The tool ${name} cannot be called as a task`)
  }
  const running = table.begin(exchange, requestedTtl(task))
  follow(call(joined(exchange, running.task)), running, exchange, call)
  return running.handle
}

function runAtOnce(exchange: Exchange, call: Handle, table: TaskTable): Outcome {
  const running = table.begin(exchange)
  const outcome = call(joined(exchange, running.task))
  if (outcome instanceof Promise) {
    follow(outcome, running, exchange, call)
    return running.handle
  }
  // It is over already: there is nothing to follow.
  running.discard()
  return outcome
}

/** Questions before the task are rounds of the request; `becomeTask` ends them (SEP-2663, Task Creation). */
function runManually(exchange: Exchange, call: Handle, table: TaskTable): Promise<Outcome> {
  return new Promise((resolve) => {
    const { request, join } = taskRequest(exchange)
    let running: BegunTask | undefined
    promotions.set(request, () => {
      if (running) return
      running = table.begin(exchange)
      join(running.task)
      resolve(running.handle)
    })
    Promise.resolve(call(request)).then((outcome) => {
      // Whatever the handler left behind cannot make a task of an answered call.
      promotions.delete(request)
      if (running) follow(outcome, running, exchange, call)
      else resolve(outcome)
    })
  })
}

/** Handlers that ask by returning are run again with the answers, as for a legacy client. */
function follow(
  outcome: Outcome | Promise<Outcome>,
  { task, conclude }: BegunTask,
  exchange: Exchange,
  call: Handle,
): void {
  playRounds(outcome, {
    ask: (requests) => task.ask(requests),
    capabilities: exchange.client.capabilities,
    again: (answered) => call(joined(exchange, task, answered)),
  })
    .then(readWhole)
    .catch((thrown: unknown) => failure(ProtocolError.from(thrown), thrown))
    .then(conclude)
}

/** A task's result is asked for later, and perhaps more than once. */
async function readWhole(outcome: Outcome): Promise<Outcome> {
  return outcome.type === 'complete' ? complete(await withoutLate(outcome.result)) : outcome
}

function joined(exchange: Exchange, task: RunningTask, answered: JsonObject = {}): Exchange {
  const { request, join } = taskRequest(exchange, { ...exchange.params, ...answered })
  join(task)
  promotions.set(request, () => {})
  return request
}

/** Makes handlers report progress although the client did not ask: it becomes the task's status message. */
const OWN_TOKEN = 'task'

/** A request that may become a task. From then on it outlives the client's request. */
interface TaskRequest {
  readonly request: Exchange
  /** From now on the request is this task. */
  join(task: RunningTask): void
}

function taskRequest(origin: Exchange, params: JsonObject = origin.params): TaskRequest {
  const abort = new AbortController()
  let task: RunningTask | undefined
  const leaveOrigin = follows(abort, origin.signal)
  const request = deriveExchange(origin, {
    params: withProgressToken(params),
    cancellation: signalCancellation(abort.signal),
    ask: undefined,
    detach: undefined,
    notify(notification) {
      const { method, params: said = {} } = notification
      const isProgress = method === 'notifications/progress'
      if (isProgress) task?.describe(describeProgress(said))
      if (isProgress && said.progressToken === OWN_TOKEN) return
      // Tasks of SEP-2663 have neither progress nor log notifications; tasks of 2025-11-25 have both.
      if (task) task.say(notification)
      else origin.notify(notification)
    },
  })
  return {
    request,
    join(joined) {
      task = joined
      leaveOrigin()
      follows(abort, joined.signal)
      request.ask = (requests, signal = abort.signal) => joined.ask(requests, signal)
    },
  }
}

/** Ends with the signal, until the function returned is called. */
function follows(abort: AbortController, signal: AbortSignal): () => void {
  const onAbort = (): void => abort.abort(signal.reason)
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
  return () => signal.removeEventListener('abort', onAbort)
}

function withProgressToken(params: JsonObject): JsonObject {
  const meta = isJsonObject(params._meta) ? params._meta : {}
  if (meta.progressToken !== undefined) return params
  return { ...params, _meta: { ...meta, progressToken: OWN_TOKEN } }
}

function describeProgress({ message, progress, total }: JsonObject): string {
  if (typeof message === 'string') return message
  return total === undefined ? String(progress) : `${progress} of ${total}`
}

/** Functions that turn a call under way into a task, by the exchange of its handler. */
export const promotions: WeakMap<Exchange, () => void> = new WeakMap<Exchange, () => void>()

/**
 * Turns the call into a task, unless it is one already: the client gets its handle now, and questions that follow
 * are asked through the task. For tools with `task: 'manual'`, whose first questions come before the task.
 *
 * Returns whether the call is a task. If it is not, the client cannot follow one and waits for the result;
 * with `required` it is refused instead.
 *
 * @example
 * ```ts
 * run: async ({ id }, ctx) => {
 *   const { format } = await ctx.elicit('Which format?', FORMAT)
 *   becomeTask(ctx)
 *   return await render(id, format)
 * }
 * ```
 */
export function becomeTask(context: Context, options: { required?: boolean } = {}): boolean {
  const promote = promotions.get(context.exchange)
  promote?.()
  if (!promote && options.required && eraOf(context.protocolVersion) === 'modern') throw missingTasks()
  return promote !== undefined
}
