import type { JsonObject } from '@gantry/mcp/exchange'
import type { Target } from '../targets/target.ts'

/** Task ids are the targets' own; in front of them stands whose they are. */
export function toPublicTask(target: Target, task: JsonObject): JsonObject {
  return typeof task.taskId === 'string'
    ? { ...task, taskId: `${encodeURIComponent(target.name)}:${task.taskId}` }
    : task
}

export function toOwnTaskId(taskId: string): { target: string; own: string } | undefined {
  const at = taskId.indexOf(':')
  if (at <= 0) return undefined
  try {
    return { target: decodeURIComponent(taskId.slice(0, at)), own: taskId.slice(at + 1) }
  } catch {
    return undefined
  }
}
