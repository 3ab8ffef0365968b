import {
  complete,
  failure,
  isJsonObject,
  isResourceNotFound,
  META,
  METHOD_NOT_FOUND,
  outlineOf,
  type Failure,
  type JsonObject,
  type Outcome,
  type Notification,
} from '@gantry/mcp/exchange'
import type { PublicUris } from '../../catalog/public-uris.ts'
import { absent } from '../absent.ts'
import type { ResolvedExchange, GatewayExchange } from '../gateway-exchange.ts'
import { updatedUri } from '../../targets/listening/shared-listener.ts'

/** What a target answered, in the names that clients know. Outcomes that name nothing are returned as they are. */
export function toPublic(outcome: Outcome, exchange: ResolvedExchange): Outcome {
  switch (outcome.type) {
    case 'complete': {
      const { method, resolved } = exchange
      const { uris, task } = resolved
      if (task) return complete(publicTask(outcome.result, task.shown, uris))
      // Where it names nothing of the target's, nobody has to read all of it.
      const outline = outlineOf(outcome)
      return uris.result(method, outline) === outline
        ? outcome
        : complete(uris.result(method, outcome.result))
    }
    case 'error':
      return publicError(outcome, exchange)
    case 'task':
    case 'input_required':
      return outcome
  }
}

/** A task under the id that its caller knows, with the result of its call once that is there. */
export function publicTask(task: JsonObject, shown: string, uris: PublicUris): JsonObject {
  const changed = withRelated(task, shown)
  if (task.taskId !== undefined) changed.taskId = shown
  if (isJsonObject(task.result)) changed.result = uris.result('tools/call', withRelated(task.result, shown))
  return changed
}

/** `_meta` may name the task once more. */
function withRelated(value: JsonObject, taskId: string): JsonObject {
  const { _meta } = value
  if (!isJsonObject(_meta) || !isJsonObject(_meta[META.relatedTask])) return { ...value }
  return { ...value, _meta: { ..._meta, [META.relatedTask]: { taskId } } }
}

/** What a target lacks is answered like what the caller may not use: with the same code and words. */
function publicError(outcome: Failure, exchange: ResolvedExchange): Outcome {
  const { error } = outcome
  if (isMissing(error, exchange)) return { ...failure(absent(exchange)), cause: outcome.cause }
  const own = isJsonObject(error.data) ? error.data.uri : undefined
  if (typeof own !== 'string') return outcome
  const data = { ...(error.data as JsonObject), uri: exchange.resolved.uris.toPublic(own) }
  return { ...outcome, error: { ...error, data } }
}

/** Servers of either era say with many codes that there is no such resource, and in these words. */
const MISSING =
  /\b(not found|unknown resource|no such|does(n't| not) exist|is not served|no skill is served|there is no)\b/i
const BY_URI: ReadonlySet<string> = new Set(['resources/read', 'resources/directory/read', 'skills/get'])

function isMissing(error: Failure['error'], { method, resolved, origin }: ResolvedExchange): boolean {
  if (resolved.kind === 'methods') return error.code === METHOD_NOT_FOUND
  if (!BY_URI.has(method) || typeof origin.params.uri !== 'string') return false
  return isResourceNotFound(method, error) || MISSING.test(error.message)
}

/** What a target says while it answers, in the names that clients know. */
export function publicNotification(
  notification: Notification,
  { resolved }: GatewayExchange,
): Notification | undefined {
  const { method, params } = notification
  const { uris, task } = resolved!
  const uri = updatedUri(notification)
  if (uri !== undefined) return { ...notification, params: { ...params, uri: uris.toPublic(uri) } }
  if (method !== 'notifications/tasks') return notification
  // Before its caller knows the task, it has no name for it.
  return task && params ? { ...notification, params: publicTask(params, task.shown, uris) } : undefined
}
