import type { OpenApiTargetOptions } from '../options.ts'
import type { Warnings } from '../warnings.ts'
import { toToolName } from './name-operations.ts'
import type { Operation } from './operation.ts'
import { matchesOperation } from './select-operations.ts'

export interface OperationGroup {
  readonly name: string
  readonly label: string
  readonly operations: Operation[]
}

/** Groups made by hand come first, then those by tag or path; what is in no group stays a tool of its own. */
export function groupOperations(
  operations: readonly Operation[],
  options: Pick<OpenApiTargetOptions, 'group' | 'groups'>,
  warnings: Warnings,
): { groups: OperationGroup[]; single: Operation[] } {
  const groups = new Map<string, OperationGroup>()
  const single: Operation[] = []
  const byHand = Object.entries(options.groups ?? {})
  for (const operation of operations) {
    const match = byHand.find(([, patterns]) =>
      patterns.some((pattern) => matchesOperation(pattern, operation)),
    )
    const label = match?.[0] ?? automaticGroup(operation, options.group ?? 'none')
    if (label === undefined) single.push(operation)
    else add(groups, label, operation)
  }
  for (const [label] of byHand) {
    if (!groups.has(toToolName(label))) warnings.add(`the group ${JSON.stringify(label)} has no operations`)
  }
  return { groups: [...groups.values()], single }
}

function automaticGroup(operation: Operation, by: 'none' | 'tag' | 'path'): string | undefined {
  if (by === 'tag') return operation.tags[0]
  if (by === 'path') return operation.path.split('/').find((part) => part !== '' && !part.startsWith('{'))
  return undefined
}

function add(groups: Map<string, OperationGroup>, label: string, operation: Operation): void {
  const name = toToolName(label)
  const group = groups.get(name)
  if (group) group.operations.push(operation)
  else groups.set(name, { name, label, operations: [operation] })
}
