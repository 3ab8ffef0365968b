import type { Exchange, JsonObject } from '@gantry/mcp/exchange'
import { TaskDesk } from '@gantry/mcp/extensions/tasks'
import { MemoryStore } from '@gantry/mcp/server'

/** Finished tasks that are kept for clients to come and get; the oldest make room. */
const KEPT = 100

/** Tasks that the gateway itself runs: calls of older servers, for modern clients that can follow them. */
export function createOwnTasks(onError: (thrown: unknown) => void): TaskDesk {
  return new TaskDesk({ store: new MemoryStore({ maxEntries: KEPT }), maxFinished: KEPT, onError })
}

/** Ids of the targets' tasks say whose they are; ours have nobody to name. */
export function isOwnTask(taskId: unknown): taskId is string {
  return typeof taskId === 'string' && taskId !== '' && !taskId.includes(':')
}

export function isTaskMethod({ method }: Exchange): boolean {
  return method === 'tasks/get' || method === 'tasks/update' || method === 'tasks/cancel'
}

/**
 * The gateway does not declare the tasks of 2025-11-25: its targets may have them, but those belong to connections
 * that many clients share.
 */
export function isForeignTaskMethod({ method, client }: Exchange): boolean {
  return method.startsWith('tasks/') && client.version < '2026-07-28'
}

/** Who does not declare them has to take such a call for an ordinary one (2025-11-25, Tasks). */
export function asOrdinaryCall({ method }: Exchange, params: JsonObject): JsonObject {
  if (method !== 'tools/call' || params.task === undefined) return params
  const { task: _task, ...rest } = params
  return rest
}
