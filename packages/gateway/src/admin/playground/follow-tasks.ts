import type { Client } from '@gantry/mcp/client'
import { createTaskClient } from '@gantry/mcp/extensions/tasks'
import type { JsonObject } from '../contract.ts'

/**
 * Has a client wait for what becomes a task, answer what the task asks and cancel it with the call
 * (SEP-2663), and tells each state that the server reports on the way. What it returns resolves when the
 * server has heard of a cancellation: a connection that is closed before would leave the task running.
 */
export function followTasks(client: Client, onTask: (task: JsonObject) => void): () => Promise<void> {
  createTaskClient(client)
  let last: string | undefined
  let cancelled: Promise<unknown> = Promise.resolve()
  // Registered after the one that waits, so it sees what that one sends.
  client.use(async (exchange, next) => {
    const answer = next(exchange)
    if (exchange.method === 'tasks/cancel') cancelled = answer.catch(() => {})
    const outcome = await answer
    const isAsked = exchange.method === 'tasks/get' && outcome.type === 'complete'
    const task = outcome.type === 'task' ? outcome.task : isAsked ? outcome.result : undefined
    const state = task && `${task.status} ${task.statusMessage}`
    if (task && state !== last) onTask(stateOf(task as JsonObject))
    last = state ?? last
    return outcome
  })
  return async () => void (await cancelled)
}

/** Without the result, which comes by itself. */
function stateOf({ resultType: _, result: __, _meta: ___, ...state }: JsonObject): JsonObject {
  return state
}
