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
import { resourceNotFound } from './resource-finder.ts'

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

const BY_URI: ReadonlySet<string> = new Set(['resources/read', 'resources/directory/read', 'skills/get'])
/** Servers of either era say it with many codes, and in these words. */
const MISSING =
  /\b(not found|unknown resource|no such|does(n't| not) exist|is not served|no skill is served|there is no)\b/i

/** Answers a missing resource like a forbidden one. The code depends on the era (2026-07-28, Resources). */
function publicError(outcome: Failure, uris: PublicUris, exchange: Exchange): Outcome {
  const { error } = outcome
  const { method, params } = exchange
  const own = isJsonObject(error.data) && typeof error.data.uri === 'string' ? error.data.uri : undefined
  if (BY_URI.has(method) && typeof params.uri === 'string' && isMissing(error, own)) {
    return { ...outcome, error: resourceNotFound(params.uri, exchange).toJsonRpc() }
  }
  if (own === undefined) return outcome
  const data = { ...(error.data as JsonObject), uri: uris.toPublic(own) }
  return { ...outcome, error: { ...error, data } }
}

function isMissing({ code, message }: Failure['error'], uri: string | undefined): boolean {
  return (
    code === RESOURCE_NOT_FOUND || (code === INVALID_PARAMS && uri !== undefined) || MISSING.test(message)
  )
}
