import { complete, type Exchange, type Handle, type Outcome } from '@gantry/mcp/exchange'
import type { OperationCaller } from './operation-caller.ts'
import type { JsonObject, Tool } from './mcp.ts'
import { own } from './own.ts'
import { checkValue } from './tools/check-value.ts'
import { wrapSchema } from './tools/plan-output.ts'
import type { OperationPlan, ToolPlan } from './tools/tool-plan.ts'

const MODERN = '2026-07-28'
const INVALID_PARAMS = -32602
const METHOD_NOT_FOUND = -32601
/** Tools change only with the configuration, which makes a new target. */
const TTL = 3_600_000

export interface Identity {
  readonly name: string
  readonly title: string
  readonly version: string
  readonly instructions: string | undefined
}

/** Answers for an API as an MCP server would: `server/discover`, `tools/list`, `tools/call`. */
export function createHandle(
  plans: readonly ToolPlan[],
  caller: OperationCaller,
  identity: Identity,
): Handle {
  const byName = new Map(plans.map((plan) => [plan.tool.name, plan]))
  const tools = plans.map((plan) => plan.tool)
  const objectTools = plans.map(withObjectOutput)

  return async (exchange: Exchange): Promise<Outcome> => {
    const { method, params } = exchange
    if (method === 'server/discover') return complete(discovery(identity, tools.length > 0))
    // A capability that is not declared has no methods.
    if (tools.length === 0) return notFound(method)
    if (method === 'tools/list') {
      if (params.cursor !== undefined) return invalid('Invalid cursor: the list has one page')
      const listed = exchange.client.version < MODERN ? objectTools : tools
      return complete({ tools: listed, ttlMs: TTL, cacheScope: 'public' })
    }
    if (method !== 'tools/call') return notFound(method)
    const { name, arguments: args = {} } = params
    const plan = typeof name === 'string' ? byName.get(name) : undefined
    if (plan === undefined) return invalid(`Unknown tool: ${String(name)}`)
    if (typeof args !== 'object' || args === null || Array.isArray(args)) {
      return invalid('Invalid arguments: expected an object')
    }
    return complete(await callTool(plan, args as JsonObject, exchange, caller))
  }
}

async function callTool(
  plan: ToolPlan,
  args: JsonObject,
  exchange: Exchange,
  caller: OperationCaller,
): Promise<JsonObject> {
  if ('call' in plan) return await caller.call(plan.call, args, exchange)
  const chosen = chooseMember(plan.tool, plan.members, args)
  if (typeof chosen === 'string') return { content: [{ type: 'text', text: chosen }], isError: true }
  return await caller.call(chosen.member, chosen.arguments, exchange)
}

function chooseMember(
  tool: Tool,
  members: ReadonlyMap<string, OperationPlan>,
  args: JsonObject,
): { member: OperationPlan; arguments: JsonObject } | string {
  const operation = own(args, 'operation')
  const member = typeof operation === 'string' ? members.get(operation) : undefined
  if (member === undefined) {
    return `Invalid arguments for ${tool.name}: "operation" must be one of ${[...members.keys()].join(', ')}.`
  }
  const inner = own(args, 'arguments') ?? {}
  const problems = checkValue(ANY_OBJECT, inner)
  if (problems.length > 0) return `Invalid arguments for ${tool.name}: "arguments" must be an object.`
  return { member, arguments: inner as JsonObject }
}

const ANY_OBJECT: JsonObject = { type: 'object' }

/** Up to 2025-11-25 an output schema has an object at its root (2025-11-25, Tools, Output Schema). */
function withObjectOutput(plan: ToolPlan): Tool {
  if (!('call' in plan) || plan.call.output === undefined || plan.call.output.isObjectRoot) return plan.tool
  return { ...plan.tool, outputSchema: wrapSchema(plan.call.output.schema) }
}

function discovery(identity: Identity, hasTools: boolean): JsonObject {
  const { name, title, version, instructions } = identity
  return {
    supportedVersions: [MODERN],
    capabilities: hasTools ? { tools: {} } : {},
    ...(instructions === undefined ? {} : { instructions }),
    ttlMs: TTL,
    cacheScope: 'public',
    _meta: { 'io.modelcontextprotocol/serverInfo': { name, title, version } },
  }
}

function invalid(message: string): Outcome {
  return { type: 'error', error: { code: INVALID_PARAMS, message } }
}

function notFound(method: string): Outcome {
  return { type: 'error', error: { code: METHOD_NOT_FOUND, message: `Method not found: ${method}` } }
}
