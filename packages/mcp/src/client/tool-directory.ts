import type { Exchange } from '../exchange/index.ts'
import { isJsonObject, type JsonObject, McpError } from '../jsonrpc/index.ts'
import { mirrorArguments, type Tool } from '../protocol/index.ts'
import {
  type CompiledSchema,
  compileSchema,
  describeIssues,
  headerParameters,
  type Validation,
} from '../schema/index.ts'

interface Known {
  readonly output: CompiledSchema | undefined
  readonly headers: ReturnType<typeof headerParameters>
}

/** More tools than any server has. A server that makes up new names all the time must not fill our memory. */
const MAX_TOOLS = 50_000

/** The facts about tools from the lists that the client has read. */
export class ToolDirectory {
  readonly #tools = new Map<string, Known>()

  get size(): number {
    return this.#tools.size
  }

  clear(): void {
    this.#tools.clear()
  }

  learn(tools: unknown): void {
    if (!Array.isArray(tools)) return
    for (const tool of tools) if (isTool(tool)) this.#keep(tool.name, know(tool))
  }

  /** Adds a tool as the newest. When there is no room, the tool that was not listed for the longest time is removed. */
  #keep(name: string, known: Known): void {
    this.#tools.delete(name)
    this.#tools.set(name, known)
    if (this.#tools.size <= MAX_TOOLS) return
    for (const oldest of this.#tools.keys()) {
      this.#tools.delete(oldest)
      return
    }
  }

  /** Why a tool must not be offered over HTTP; undefined when it may. */
  headerProblem(name: string): string | undefined {
    const headers = this.#tools.get(name)?.headers
    return headers && !headers.ok ? headers.reason : undefined
  }

  /** The `Mcp-Param-*` headers of a call, in plain values; the wire encodes them. */
  readonly headersFor = (exchange: Exchange): Record<string, string> | undefined => {
    if (exchange.method !== 'tools/call') return undefined
    const headers = this.#tools.get(String(exchange.params.name))?.headers
    return headers?.ok ? mirrorArguments(headers.parameters, exchange.params.arguments) : undefined
  }

  /** Checks a result against the tool's output schema, when both are there; a promise only when it has to wait. */
  checkOutput(name: string, result: JsonObject): void | Promise<void> {
    const output = this.#tools.get(name)?.output
    if (!output || result.isError === true) return
    if (result.structuredContent === undefined) {
      throw invalidOutput(name, 'it has an output schema, but answered without structured content')
    }
    const checked = output.validate(result.structuredContent)
    return checked instanceof Promise
      ? checked.then((settled) => assertValid(name, settled))
      : assertValid(name, checked)
  }
}

function assertValid(name: string, checked: Validation): void {
  if (!checked.ok) throw invalidOutput(name, describeIssues(checked.issues))
}

function know(tool: Tool): Known {
  const { inputSchema, outputSchema } = tool
  return {
    headers: headerParameters(isJsonObject(inputSchema) ? inputSchema : {}),
    output: isJsonObject(outputSchema)
      ? compileSchema(outputSchema, { io: 'output', trust: 'foreign' })
      : undefined,
  }
}

function isTool(value: unknown): value is Tool {
  return isJsonObject(value) && typeof value.name === 'string'
}

function invalidOutput(name: string, problem: string): McpError {
  return new McpError('invalid_output', `The tool ${name} broke its own contract: ${problem}`, {
    details: { tool: name },
  })
}
