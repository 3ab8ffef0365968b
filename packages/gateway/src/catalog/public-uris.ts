import { isJsonObject, type JsonObject, META, PrefixedUris } from '@gantry/mcp/exchange'
import { targetScheme } from '../model/index.ts'

/** URIs as clients of the gateway see them, and the ids of tasks. */
export class PublicUris extends PrefixedUris {
  /** `prefix` is the target's; empty leaves URIs as they are. */
  constructor(prefix: string) {
    super(prefix === '' ? '' : targetScheme(prefix))
  }

  /** A task under the id that its caller knows, with the result of its call once that is there. */
  task(task: JsonObject, shown: string): JsonObject {
    const changed = withRelated(task, shown)
    if (task.taskId !== undefined) changed.taskId = shown
    if (isJsonObject(task.result)) changed.result = this.result('tools/call', withRelated(task.result, shown))
    return changed
  }
}

/** `_meta` may name the task too. */
function withRelated(value: JsonObject, taskId: string): JsonObject {
  const { _meta } = value
  if (!isJsonObject(_meta) || !isJsonObject(_meta[META.relatedTask])) return { ...value }
  return { ...value, _meta: { ..._meta, [META.relatedTask]: { taskId } } }
}
