import type { Tool } from '../mcp.ts'
import { groupOperations } from '../operations/group-operations.ts'
import { lookup, nameOperations } from '../operations/name-operations.ts'
import type { Operation } from '../operations/operation.ts'
import type { Description } from '../operations/read-description.ts'
import { selectOperations } from '../operations/select-operations.ts'
import type { OpenApiTargetOptions } from '../options.ts'
import type { Warnings } from '../warnings.ts'
import { annotationsOf, describeOperation, titleOf } from './describe-operation.ts'
import { planGroup } from './plan-group.ts'
import type { PlanContext } from './plan-context.ts'
import { planInput } from './plan-input.ts'
import { planOutput } from './plan-output.ts'
import type { OperationPlan, ToolPlan } from './tool-plan.ts'

const META = 'gantry/operation'

export function planTools(
  description: Description,
  options: OpenApiTargetOptions,
  context: PlanContext,
  warnings: Warnings,
): ToolPlan[] {
  const { operations: selection = {} } = options
  const selected = selectOperations(description.operations, selection, warnings)
  const names = nameOperations(selected, selection.rename ?? {}, warnings)
  const { groups, single } = groupOperations(selected, options, warnings)
  const describe = selection.describe ?? {}
  const taken = new Set(single.map((operation) => names.get(operation)!))
  const plan = (operation: Operation) => planOperation(operation, names.get(operation)!, context)
  return [
    ...groups.map((group) => {
      const about = description.tags.get(group.label)
      return planGroup(group, { plan, about, taken, describe, maxSchemaBytes: context.maxSchemaBytes })
    }),
    ...single.map((operation) => {
      const call = plan(operation)
      return { tool: toTool(call, lookup(describe, operation)), call }
    }),
  ]
}

function planOperation(operation: Operation, name: string, context: PlanContext): OperationPlan {
  return { name, operation, input: planInput(operation, context), output: planOutput(operation, context) }
}

function toTool({ name, operation, input, output }: OperationPlan, description: string | undefined): Tool {
  const tool: Tool = {
    name,
    description: description ?? describeOperation(operation),
    inputSchema: input.schema,
  }
  const title = titleOf(operation)
  if (title !== undefined) tool.title = title
  if (output) tool.outputSchema = output.schema
  tool.annotations = annotationsOf(operation.method)
  const { operationId, method, path, tags } = operation
  tool._meta = { [META]: { ...(operationId === undefined ? {} : { operationId }), method, path, tags } }
  return tool
}
