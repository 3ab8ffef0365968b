import {
  complete,
  INVALID_PARAMS,
  isJsonObject,
  META,
  outlineOf,
  RESOURCE_NOT_FOUND,
  type Exchange,
  type Failure,
  type JsonObject,
  type Outcome,
} from '@gantry/mcp/exchange'
import type { PublicUris } from '../catalog/public-uris.ts'
import type { Destination } from './resolver.ts'

/** What a target answered, in the names that clients know. Outcomes that name nothing are returned as they are. */
export function toPublic(outcome: Outcome, { uris, task }: Destination, exchange: Exchange): Outcome {
  switch (outcome.type) {
    case 'complete': {
      if (task) return complete(publicTask(outcome.result, task.shown, uris))
      // Where it names nothing of the target's, nobody has to read all of it.
      const outline = outlineOf(outcome)
      const isPublic = uris.result(exchange.method, outline) === outline
      return isPublic ? outcome : complete(uris.result(exchange.method, outcome.result))
    }
    case 'error':
      return publicError(outcome, uris, exchange)
    case 'task':
    case 'input_required':
      return outcome
  }
}

/** A task under the id that its caller knows, with the result of its call once that is there. */
export function publicTask(task: JsonObject, shown: string, uris?: PublicUris): JsonObject {
  const changed = withRelated(task, shown)
  if (task.taskId !== undefined) changed.taskId = shown
  if (isJsonObject(task.result)) {
    const result = withRelated(task.result, shown)
    changed.result = uris ? uris.result('tools/call', result) : result
  }
  return changed
}

/** `_meta` may name the task once more. */
function withRelated(value: JsonObject, taskId: string): JsonObject {
  const { _meta } = value
  if (!isJsonObject(_meta) || !isJsonObject(_meta[META.relatedTask])) return { ...value }
  return { ...value, _meta: { ..._meta, [META.relatedTask]: { taskId } } }
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
