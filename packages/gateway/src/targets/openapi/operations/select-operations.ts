import { matchesWildcard } from '../../../model/index.ts'
import type { OperationSelection } from '../options.ts'
import type { Warnings } from '../warnings.ts'
import { generateName } from './name-operations.ts'
import type { Operation } from './operation.ts'

/** Whether a pattern means an operation: `tag:NAME`, `GET /pets/*`, `* /pets`, or an `operationId`. */
export function matchesOperation(pattern: string, operation: Operation): boolean {
  if (pattern.startsWith('tag:')) {
    return operation.tags.some((tag) => matchesWildcard(pattern.slice(4).trim(), tag))
  }
  const request = /^([A-Za-z*]+)\s+(\/.*|\*)$/.exec(pattern.trim())
  if (request) {
    const [, method, path] = request
    return (
      matchesWildcard(method!.toUpperCase(), operation.method.toUpperCase()) &&
      matchesWildcard(path!, operation.path)
    )
  }
  return matchesWildcard(pattern, operation.operationId ?? generateName(operation))
}

/** No include means all; exclude has the last word. A pattern that meets nothing is most likely a mistake. */
export function selectOperations(
  operations: readonly Operation[],
  selection: OperationSelection,
  warnings: Warnings,
): Operation[] {
  const { include = [], exclude = [] } = selection
  for (const pattern of [...include, ...exclude]) {
    if (!operations.some((operation) => matchesOperation(pattern, operation))) {
      warnings.add(`the pattern ${JSON.stringify(pattern)} matches no operation`)
    }
  }
  return operations.filter(
    (operation) =>
      (include.length === 0 || include.some((pattern) => matchesOperation(pattern, operation))) &&
      !exclude.some((pattern) => matchesOperation(pattern, operation)),
  )
}
