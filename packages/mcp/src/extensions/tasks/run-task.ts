import { failure, playRounds, type Exchange, type Handle, type Outcome } from '../../exchange/index.ts'
import { METHOD_NOT_FOUND, ProtocolError, type JsonObject } from '../../jsonrpc/index.ts'
import { eraOf } from '../../protocol/index.ts'
import type { TaskMode, TaskRunner } from '../../server/index.ts'
import { promotions } from './become-task.ts'
import { hasLegacyTasks, requestedTtl } from './legacy-task.ts'
import type { LiveTask } from './live-task.ts'
import { declaresTasks, missingTasks } from './task.ts'
import { TaskExchange } from './task-exchange.ts'
import type { RunningTask, TaskTable } from './task-table.ts'

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
    const request = new TaskExchange(exchange)
    let running: RunningTask | undefined
    promotions.set(request, () => {
      if (running) return
      running = table.begin(exchange)
      request.join(running.task)
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
  { task, conclude }: RunningTask,
  exchange: Exchange,
  call: Handle,
): void {
  playRounds(outcome, {
    ask: (requests) => task.ask(requests),
    capabilities: exchange.client.capabilities,
    again: (answered) => call(joined(exchange, task, answered)),
  })
    .catch((thrown: unknown) => failure(ProtocolError.from(thrown), thrown))
    .then(conclude)
}

function joined(exchange: Exchange, task: LiveTask, answered: JsonObject = {}): TaskExchange {
  const request = new TaskExchange(exchange, { ...exchange.params, ...answered }).join(task)
  promotions.set(request, () => {})
  return request
}
