import type { Tool, JsonSchema } from '@gantry/mcp/server'
import { lookup, nameOperations, toToolName } from '../operations/name-operations.ts'
import type { Operation } from '../operations/operation.ts'
import type { Description } from '../operations/read-description.ts'
import { selectOperations, matchesOperation } from '../operations/select-operations.ts'
import type { OpenApiTargetOptions } from '../options.ts'
import type { Warnings } from '../warnings.ts'
import {
  annotationsOf,
  describeOperation,
  titleOf,
  commonAnnotations,
  shorten,
} from './describe-operation.ts'
import type { PlanContext } from './plan-context.ts'
import { planInput, freeName } from './plan-input.ts'
import { planOutput } from './plan-output.ts'
import type { OperationPlan, ToolPlan } from './tool-plan.ts'
import { isJsonObject } from '@gantry/mcp/exchange'
import { own } from '../own.ts'
import { sizeOf } from '../schema/open-schema.ts'

const META = 'gantry/operation'

export function planTools(
  description: Description,
  options: OpenApiTargetOptions,
  context: PlanContext,
  warnings: Warnings,
): ToolPlan[] {
  const selected = selectOperations(description.operations, options, warnings)
  const names = nameOperations(selected, options.rename ?? {}, warnings)
  const { groups, single } = groupOperations(selected, options, warnings)
  const describe = options.describe ?? {}
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

interface GroupContext {
  plan(operation: Operation): OperationPlan
  readonly about: string | undefined
  /** Names of other tools; the group's is added. */
  readonly taken: Set<string>
  readonly describe: Readonly<Record<string, string>>
  readonly maxSchemaBytes: number
}

/** One tool for several operations: `operation` says which, `arguments` holds what it takes. */
function planGroup(group: OperationGroup, context: GroupContext): ToolPlan {
  const plans = group.operations.map((operation) => context.plan(operation))
  const name = freeName(group.name, 'group', (wanted) => context.taken.has(wanted))
  context.taken.add(name)
  const about = own(context.describe, group.label)
  const lines = plans.map(({ name, operation }) => `- ${name}: ${lineFor(operation, context.describe)}`)
  const intro = typeof about === 'string' ? about : context.about || `Operations of ${group.label}.`
  const tool: Tool = {
    name,
    title: group.label,
    description: `${shorten(intro, 1_000)}\n\nOperations:\n${lines.join('\n')}`,
    inputSchema: groupSchema(plans, context.maxSchemaBytes),
    annotations: commonAnnotations(group.operations),
    _meta: { 'gantry/operations': plans.map(({ name, operation }) => ({ name, request: operation.key })) },
  }
  return { tool, members: new Map(plans.map((plan) => [plan.name, plan])) }
}

function lineFor(operation: Operation, describe: Readonly<Record<string, string>>): string {
  const text = lookup(describe, operation) ?? operation.summary ?? describeOperation(operation)
  return shorten(text.split('\n', 1)[0]!, 160)
}

/** The root is a plain object, because some model providers refuse `anyOf` there. Calls are still checked. */
function groupSchema(plans: readonly OperationPlan[], maxBytes: number): JsonSchema {
  const $defs: JsonSchema = {}
  const alternatives = plans.map(({ name, input }) => {
    const { $defs: own, ...schema } = input.schema
    if (isJsonObject(own)) Object.assign($defs, own)
    return { title: name, ...schema }
  })
  const properties: JsonSchema = {
    operation: { type: 'string', enum: plans.map((plan) => plan.name), description: 'What to do.' },
    arguments: { description: "The operation's arguments.", anyOf: alternatives },
  }
  const schema: JsonSchema = {
    type: 'object',
    properties,
    required: ['operation'],
    additionalProperties: false,
  }
  if (Object.keys($defs).length > 0) schema.$defs = $defs
  if (sizeOf(schema) <= maxBytes) return schema
  properties.arguments = { type: 'object', description: argumentsHint(plans) }
  const { $defs: _, ...open } = schema
  return { ...open }
}

/** Names only: `list_pets(limit, status*)`, a star for what is required. */
function argumentsHint(plans: readonly OperationPlan[]): string {
  const lines = plans.map(({ name, input }) => {
    const required = new Set(Array.isArray(input.schema.required) ? input.schema.required : [])
    const names = [...input.destinations.keys()].map((key) => (required.has(key) ? `${key}*` : key))
    return `${name}(${names.join(', ')})`
  })
  return shorten(`The operation's arguments; * marks required ones. ${lines.join('; ')}`, 8_000)
}

interface OperationGroup {
  readonly name: string
  readonly label: string
  readonly operations: Operation[]
}

/** Groups made by hand come first, then those by tag or path; what is in no group stays a tool of its own. */
function groupOperations(
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
