import type { Exchange } from '@gantry/mcp/exchange'
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
