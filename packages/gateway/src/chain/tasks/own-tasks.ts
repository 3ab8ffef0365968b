import { isJsonObject, isModern, META, type Exchange, type JsonObject } from '@gantry/mcp/exchange'
import { TaskDesk } from '@gantry/mcp/extensions/tasks'
import type { Store } from '../../store/index.ts'

/** Finished tasks that are kept for clients to come and get; the oldest make room. */
const KEPT = 100

/** Tasks that the gateway itself runs: calls of older servers, for modern clients that can follow them. */
export function createOwnTasks(store: Store, onError: (thrown: unknown) => void): TaskDesk {
  const rows = store.rows({ name: 'tasks', secret: true })
  const finished = {
    get: async (key: string) => (await rows.get(key))?.value,
    set: async (key: string, value: string, ttl: number) => void (await rows.put(key, value, { ttl })),
    delete: async (key: string) => void (await rows.remove(key)),
  }
  return new TaskDesk({ store: finished, maxFinished: KEPT, onError })
}

const TASK_METHODS: ReadonlySet<string> = new Set(['tasks/get', 'tasks/update', 'tasks/cancel'])

/** The gateway has no tasks of 2025-11-25: those of targets belong to connections that clients share. */
export function isForeignTaskMethod({ method, client }: Exchange): boolean {
  return !isModern(client.version) || !TASK_METHODS.has(method)
}

/** Who does not declare them has to take such a call for an ordinary one (2025-11-25, Tasks). */
export function asOrdinaryCall({ method, params }: Exchange): JsonObject {
  const isTask = method === 'tools/call' && params.task !== undefined
  const { _meta } = params
  if (!isTask && !namesTask(_meta)) return params
  const rest = { ...params }
  if (isTask) delete rest.task
  if (namesTask(_meta)) rest._meta = withoutTask(_meta)
  return rest
}

/** The ids of a target's tasks are the gateway's to use: by naming one, a caller could join the task of another. */
function namesTask(meta: unknown): meta is JsonObject {
  return isJsonObject(meta) && META.relatedTask in meta
}

function withoutTask({ [META.relatedTask]: _task, ...meta }: JsonObject): JsonObject {
  return meta
}
