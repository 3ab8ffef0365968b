import { McpError } from '@gantry/mcp/client'
import type { Handle } from '@gantry/mcp/exchange'
import { addressKind } from '@gantry/mcp/foreign'
import { OperationCaller } from './operation-caller.ts'
import { DocumentSet } from './document/document-set.ts'
import { DocumentSource } from './document/document-source.ts'
import { createHandle, type Identity } from './handle-exchange.ts'
import type { Tool } from './mcp.ts'
import { toToolName } from './operations/name-operations.ts'
import type { Operation } from './operations/operation.ts'
import { type Description, readDescription } from './operations/read-description.ts'
import { isSendableHeader } from './operations/read-parameter.ts'
import type { OpenApiTargetOptions } from './options.ts'
import { Credentials } from './request/credentials.ts'
import { ServerUrls } from './request/server-url.ts'
import { SchemaConverter } from './schema/schema-converter.ts'
import { shorten } from './tools/describe-operation.ts'
import { planTools } from './tools/plan-tools.ts'
import type { ToolPlan } from './tools/tool-plan.ts'
import { Warnings } from './warnings.ts'

export interface OpenApiTarget {
  /** Answers as an MCP server would. */
  readonly handle: Handle
  readonly tools: readonly Tool[]
  /** What in the description or the configuration was odd; worth showing, never fatal. */
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
 *   operations: { include: ['GET /pets*', 'tag:orders'] },
 *   auth: { schemes: { api_key: process.env.PETS_KEY ?? '' } },
 * })
 */
export async function createOpenApiTarget(
  options: OpenApiTargetOptions,
  signal?: AbortSignal,
): Promise<OpenApiTarget> {
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
