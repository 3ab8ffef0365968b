import { McpError } from '@gantry/mcp/client'
import {
  isModern,
  LATEST_MODERN,
  type Handle,
  complete,
  type Exchange,
  type Outcome,
} from '@gantry/mcp/exchange'
import { addressKind } from '@gantry/mcp/foreign'
import { OperationCaller } from './operation-caller.ts'
import { DocumentSet } from './document/document-set.ts'
import { DocumentSource } from './document/document-source.ts'
import type { Tool, JsonObject } from '@gantry/mcp/server'
import { toToolName } from './operations/name-operations.ts'
import type { Operation } from './operations/operation.ts'
import { type Description, readDescription } from './operations/read-description.ts'
import { isSendableHeader } from './operations/read-parameter.ts'
import { type OpenApiTargetOptions, requireOpenApiOptions } from './options.ts'
import { Credentials } from './request/credentials.ts'
import { ServerUrls } from './request/server-url.ts'
import { SchemaConverter } from './schema/schema-converter.ts'
import { shorten } from './tools/describe-operation.ts'
import { planTools } from './tools/plan-tools.ts'
import type { ToolPlan, OperationPlan } from './tools/tool-plan.ts'
import { Warnings } from './warnings.ts'
import { own } from './own.ts'
import { checkValue } from './tools/check-value.ts'
import { wrapSchema } from './tools/plan-output.ts'

export interface OpenApiTarget {
  /** Answers as an MCP server would. */
  readonly handle: Handle
  readonly tools: readonly Tool[]
  /** Warnings about the description or the configuration. */
  readonly warnings: readonly string[]
  /** Ends the calls under way. */
  close(): void
}

const DEFAULT_SCHEMA_BYTES = 32 * 1024
const MOST_INSTRUCTIONS = 500

/**
 * Makes an MCP target of an API from its OpenAPI 3.0, 3.1 or Swagger 2.0 description. Throws an `McpError`
 * when there is nothing to work with: no document, no description, or a setting that cannot be meant.
 *
 * @example
 * const target = await createOpenApiTarget({
 *   document: './petstore.yaml',
 *   include: ['GET /pets*', 'tag:orders'],
 *   auth: { schemes: { api_key: process.env.PETS_KEY ?? '' } },
 * })
 */
export async function createOpenApiTarget(
  options: OpenApiTargetOptions,
  signal?: AbortSignal,
): Promise<OpenApiTarget> {
  requireOpenApiOptions(options)
  const warnings = new Warnings()
  const documents = await loadDocuments(options, warnings, signal)
  const description = readDescription(documents, warnings)
  checkHeaders(options, warnings)
  const credentials = new Credentials(options.auth ?? {}, description.securitySchemes, warnings)
  const servers = new ServerUrls(options, documents.root.base, warnings)
  const caller = new OperationCaller(options, servers, credentials)
  const { outputSchemas = 'exact', maxSchemaBytes = DEFAULT_SCHEMA_BYTES } = options
  const output = { direction: 'output', lenient: outputSchemas === 'lenient', warnings } as const
  const plans = planTools(
    description,
    options,
    {
      documents,
      input: new SchemaConverter(documents, { direction: 'input', warnings }),
      output: outputSchemas === 'none' ? undefined : new SchemaConverter(documents, output),
      maxSchemaBytes,
      isHidden: (parameter) => credentials.fills(parameter),
    },
    warnings,
  )
  checkOperations(plans, servers, credentials, warnings)
  return {
    handle: createHandle(plans, caller, identityOf(description, options)),
    tools: plans.map((plan) => plan.tool),
    warnings: warnings.list(),
    close: () => caller.close(),
  }
}

async function loadDocuments(
  options: OpenApiTargetOptions,
  warnings: Warnings,
  signal: AbortSignal | undefined,
): Promise<DocumentSet> {
  const { document, documentHeaders: headers, referenceRoot, trustedHosts, fetch } = options
  if (typeof document === 'string' || document instanceof URL) {
    const source = new DocumentSource(document, { headers, referenceRoot, trustedHosts, fetch, signal })
    return await DocumentSet.load(source, warnings)
  }
  try {
    // A copy: later changes to the object are not seen, and an object that contains itself is found out here.
    return DocumentSet.of(JSON.parse(JSON.stringify(document)), warnings)
  } catch (error) {
    throw new McpError('invalid_config', 'the description cannot be written as JSON: it contains itself', {
      cause: error,
    })
  }
}

function checkHeaders(options: OpenApiTargetOptions, warnings: Warnings): void {
  for (const name of [...Object.keys(options.headers ?? {}), ...(options.forwardHeaders ?? [])]) {
    if (!isSendableHeader(name))
      throw new McpError('invalid_config', `the header ${JSON.stringify(name)} cannot be set`)
  }
  if (options.forwardHeaders?.some((name) => name.toLowerCase() === 'authorization')) {
    warnings.add(
      'forwardHeaders lists authorization: the API will get the token that was meant for the gateway',
    )
  }
}

/** Problems that would otherwise show up only when a tool is called. */
function checkOperations(
  plans: readonly ToolPlan[],
  servers: ServerUrls,
  credentials: Credentials,
  warnings: Warnings,
): void {
  for (const operation of plans.flatMap(operationsOf)) {
    const url = servers.find(operation)
    for (const scheme of credentials.missing(operation)) {
      warnings.add(
        `operations need the security scheme "${scheme}", which is not set: auth.schemes.${scheme}`,
      )
    }
    const isLoopback = url && addressKind(url.hostname) === 'loopback'
    if (url?.protocol === 'http:' && !isLoopback && credentials.for(operation).length > 0) {
      warnings.add(`credentials go to ${url.origin} without encryption`)
    }
  }
}

function operationsOf(plan: ToolPlan): Operation[] {
  return 'call' in plan ? [plan.call.operation] : [...plan.members.values()].map((member) => member.operation)
}

function identityOf(description: Description, options: OpenApiTargetOptions): Identity {
  const about = description.about?.split(/\n\s*\n/, 1)[0]?.trim()
  return {
    name: options.name ?? toToolName(description.title.toLowerCase()),
    title: description.title,
    version: description.version,
    instructions: options.instructions ?? (about ? shorten(about, MOST_INSTRUCTIONS) : undefined),
  }
}

const INVALID_PARAMS = -32602
const METHOD_NOT_FOUND = -32601
/** Tools change only with the configuration, which makes a new target. */
const TTL = 3_600_000

interface Identity {
  readonly name: string
  readonly title: string
  readonly version: string
  readonly instructions: string | undefined
}

/** Answers for an API as an MCP server would: `server/discover`, `tools/list`, `tools/call`. */
function createHandle(plans: readonly ToolPlan[], caller: OperationCaller, identity: Identity): Handle {
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
      const listed = isModern(exchange.client.version) ? tools : objectTools
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
    supportedVersions: [LATEST_MODERN],
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
