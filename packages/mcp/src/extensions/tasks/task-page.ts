import { INVALID_PARAMS, ProtocolError } from '../../jsonrpc/index.ts'
import { fromBase64Url, toBase64Url } from '../../protocol/base64.ts'
import type { DetailedTask } from './task.ts'
import type { Listed } from './task-index.ts'

export const PAGE_SIZE = 50

export interface TaskPage {
  readonly tasks: DetailedTask[]
  readonly nextCursor?: string
}

type Place = Pick<Listed, 'taskId' | 'createdAt'>

/** One page of tasks, oldest first. The cursor is a place in that order, so that tasks may come and go. */
export async function pageOf(
  listed: readonly Place[],
  cursor: unknown,
  load: (taskId: string) => Promise<DetailedTask | undefined>,
): Promise<TaskPage> {
  const after = readCursor(cursor)
  const places = listed.filter((place) => !after || compare(place, after) > 0).sort(compare)
  const tasks: DetailedTask[] = []
  let last: Place | undefined
  for (const place of places) {
    if (last && tasks.length === PAGE_SIZE) return { tasks, nextCursor: writeCursor(last) }
    const task = await load(place.taskId)
    if (!task) continue
    tasks.push(task)
    last = place
  }
  return { tasks }
}

function compare(one: Place, other: Place): number {
  return (
    one.createdAt - other.createdAt || (one.taskId < other.taskId ? -1 : Number(one.taskId > other.taskId))
  )
}

function writeCursor({ createdAt, taskId }: Place): string {
  return toBase64Url(new TextEncoder().encode(`${createdAt}:${taskId}`))
}

function readCursor(cursor: unknown): Place | undefined {
  if (cursor === undefined) return undefined
  const bytes = typeof cursor === 'string' ? fromBase64Url(cursor) : undefined
  const found = bytes && /^([0-9]{1,15}):([0-9a-f-]{36})$/.exec(new TextDecoder().decode(bytes))
  if (!found) throw new ProtocolError(INVALID_PARAMS, 'Invalid params: unknown cursor')
  return { createdAt: Number(found[1]), taskId: found[2]! }
}
