import {
  complete,
  INVALID_PARAMS,
  isJsonObject,
  outlineOf,
  RESOURCE_NOT_FOUND,
  type Exchange,
  type Failure,
  type JsonObject,
  type Outcome,
} from '@gantry/mcp/exchange'
import type { PublicUris } from '../catalog/public-uris.ts'
import type { Target } from '../targets/target.ts'
import { toPublicTaskId } from './task-ids.ts'

/** What a target answered, in the names that clients know. Outcomes that name nothing are returned as they are. */
export function toPublic(outcome: Outcome, target: Target, uris: PublicUris, exchange: Exchange): Outcome {
  switch (outcome.type) {
    case 'complete': {
      if (exchange.method.startsWith('tasks/')) return complete(publicTask(outcome.result, target, uris))
      // Where it names nothing of the target's, nobody has to read all of it.
      const outline = outlineOf(outcome)
      const isPublic = uris.result(exchange.method, outline) === outline
      return isPublic ? outcome : complete(uris.result(exchange.method, outcome.result))
    }
    case 'task':
      return { type: 'task', task: publicTask(outcome.task, target, uris) }
    case 'error':
      return publicError(outcome, uris, exchange)
    case 'input_required':
      return outcome
  }
}

/** A task: its id, and the result of its call once that is there. */
export function publicTask(task: JsonObject, target: Target, uris: PublicUris): JsonObject {
  const changed = { ...task }
  if (typeof task.taskId === 'string') changed.taskId = toPublicTaskId(target, task.taskId)
  if (isJsonObject(task.result)) changed.result = uris.result('tools/call', task.result)
  return changed
}

/** A resource that is not there has another code in each era, and `data.uri` names it (2026-07-28, Resources). */
function publicError(outcome: Failure, uris: PublicUris, exchange: Exchange): Outcome {
  const { error } = outcome
  const own = isJsonObject(error.data) && typeof error.data.uri === 'string' ? error.data.uri : undefined
  const missing =
    exchange.method === 'resources/read' &&
    (error.code === RESOURCE_NOT_FOUND || (error.code === INVALID_PARAMS && own !== undefined))
  if (own === undefined && !missing) return outcome
  const modern = exchange.client.version >= '2026-07-28'
  const code = missing ? (modern ? INVALID_PARAMS : RESOURCE_NOT_FOUND) : error.code
  const data = own === undefined ? error.data : { ...(error.data as JsonObject), uri: uris.toPublic(own) }
  return { ...outcome, error: { ...error, code, ...(data !== undefined && { data }) } }
}
