import { INVALID_PARAMS, McpError, ProtocolError, type JsonObject } from '../../jsonrpc/index.ts'
import type { Exchange } from '../../exchange/index.ts'
import type { Tool as ToolInfo, ToolAnnotations } from '../../protocol/index.ts'
import {
  compileSchema,
  headerParameters,
  type CompiledSchema,
  type HeaderParameter,
} from '../../schema/index.ts'
import { classNameOf } from '../definitions/class-forms.ts'
import type { AnyTool } from '../definitions/definitions.ts'
import { isVisible, scopesToSee } from '../definitions/visibility.ts'
import { requireToolName } from './check-definition.ts'
import { requireOptions } from './check-options.ts'
import type { Registry } from './registry.ts'

/** A tool made ready: schemas compiled, list entry built, once. */
export interface CompiledTool {
  readonly name: string
  readonly definition: AnyTool
  readonly info: ToolInfo
  readonly input: CompiledSchema
  readonly output: CompiledSchema | undefined
  /** Its task mode in the words of 2025-11-25, which has no manual mode. */
  readonly taskSupport: 'optional' | 'required' | undefined
  /** Arguments that HTTP clients mirror into `Mcp-Param-*` headers. */
  readonly headers: readonly HeaderParameter[]
}

const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const

export function compileTool(name: string, definition: AnyTool): CompiledTool {
  requireToolName(name)
  if (typeof definition.run !== 'function') {
    throw new McpError('invalid_definition', `The tool "${name}" has no run function`)
  }
  requireOptions('tool', name, definition)
  const input = within(name, () =>
    compileSchema(definition.input ?? { type: 'object' }, { io: 'input', root: 'object' }),
  )
  const output = definition.output && within(name, () => compileSchema(definition.output!, { io: 'output' }))
  const headers = headerParameters(input.jsonSchema)
  if (!headers.ok) throw new McpError('invalid_definition', `The tool "${name}": ${headers.reason}`)
  const info = toolInfo(name, definition, input, output)
  const taskSupport = definition.task === 'manual' ? 'optional' : definition.task
  return { name, definition, info, input, output, taskSupport, headers: headers.parameters }
}

function within<T>(name: string, compile: () => T): T {
  try {
    return compile()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new McpError('invalid_definition', `The tool "${name}": ${reason}`, { cause: error })
  }
}

function toolInfo(
  name: string,
  definition: AnyTool,
  input: CompiledSchema,
  output: CompiledSchema | undefined,
): ToolInfo {
  const { title, description, icons, _meta } = definition
  const annotations = annotationsOf(definition)
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    inputSchema: input.jsonSchema,
    ...(output && { outputSchema: output.jsonSchema }),
    ...(annotations && { annotations }),
    ...(icons && { icons }),
    ...(_meta && { _meta }),
  }
}

function annotationsOf(definition: AnyTool): ToolAnnotations | undefined {
  const annotations: ToolAnnotations = { ...definition.annotations }
  for (const hint of HINTS) {
    const value = definition[hint]
    if (value !== undefined) annotations[hint] = value
  }
  return Object.keys(annotations).length > 0 ? annotations : undefined
}

/** The tool, or −32602 naming it; a tool that the caller may not see does not exist for it. */
export function findTool(tools: Registry<CompiledTool>, exchange: Exchange): CompiledTool {
  const { name } = exchange.params
  if (typeof name !== 'string') {
    throw new ProtocolError(INVALID_PARAMS, 'Invalid params: "name" must be a string')
  }
  const found = tools.get(name)
  if (!found || !isVisible(found.definition, exchange)) {
    throw new UnknownName('tool', name, { requiredScopes: scopesToSee(found?.definition, exchange) })
  }
  return found
}

/** A failed look-up; instrumentation wants to know which. */
export class UnknownName extends ProtocolError {
  readonly kind: 'tool' | 'prompt' | 'resource'
  /** It is there for callers with these scopes: transports that can, say so. */
  readonly requiredScopes: readonly string[] | undefined

  constructor(
    kind: 'tool' | 'prompt' | 'resource',
    name: string,
    facts: { data?: JsonObject; requiredScopes?: readonly string[] | undefined } = {},
  ) {
    const message = kind === 'resource' ? `Resource not found: ${name}` : `Unknown ${kind}: ${name}`
    super(INVALID_PARAMS, message, facts.data)
    this.kind = kind
    this.requiredScopes = facts.requiredScopes
  }
}

/** The name that a definition brings along: its own, else its class's. */
export function ownNameOf(definition: { name?: string }): string | undefined {
  return definition.name ?? classNameOf(definition)
}
