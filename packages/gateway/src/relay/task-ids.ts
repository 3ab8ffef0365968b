import type { Target } from '../targets/target.ts'

/** Task ids are the targets' own; in front of them stands whose they are. */
export function toPublicTaskId(target: Target, own: string): string {
  return `${encodeURIComponent(target.name)}:${own}`
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
