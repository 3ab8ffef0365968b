import { McpError, type JsonObject } from '../jsonrpc/index.ts'
import type { CallResult } from './call-result.ts'
import type { RequestOptions } from './request-options.ts'

/** A tool failed (`isError`). The error has its result. */
export class ToolCallError extends McpError {
  readonly result: CallResult

  constructor(tool: string, result: CallResult) {
    super('tool_failed', result.text() || `The tool ${tool} failed and said no more`, { details: { tool } })
    this.name = 'ToolCallError'
    this.result = result
  }
}

/** The tools of a server as functions. `App` is the server's own type: `connect<typeof app>(…)`. */
export type Tools<App> = App extends { readonly '~tools'?: infer Types }
  ? [keyof NonNullable<Types>] extends [never]
    ? UntypedTools
    : { readonly [Name in keyof NonNullable<Types>]: ToolFunction<NonNullable<Types>[Name]> }
  : UntypedTools

interface UntypedTools {
  readonly [name: string]: (args?: JsonObject, options?: RequestOptions) => Promise<unknown>
}

/** The arguments of a server's prompts by name; open for a server whose prompts are not known. */
export type Prompts<App> = App extends { readonly '~prompts'?: infer Types }
  ? [keyof NonNullable<Types>] extends [never]
    ? UntypedPrompts
    : NonNullable<Types>
  : UntypedPrompts

interface UntypedPrompts {
  readonly [name: string]: { input: Record<string, string> }
}

/** The parameters of `getPrompt` behind the name. The arguments may be left out when none is required. */
export type PromptCall<Type> = Type extends { input: infer Input }
  ? {} extends Input
    ? [args?: Input, options?: RequestOptions]
    : [args: Input, options?: RequestOptions]
  : never

type ToolFunction<Type> = Type extends { input: infer Input; output: infer Output }
  ? {} extends Input
    ? (args?: Input, options?: RequestOptions) => Promise<Output>
    : (args: Input, options?: RequestOptions) => Promise<Output>
  : never

type Call = (name: string, args: JsonObject | undefined, options?: RequestOptions) => Promise<CallResult>

/**
 * Names that JavaScript and Node look for in any object: `await` looks for `then`, `JSON.stringify` for `toJSON`,
 * templates for `valueOf`, printing for the rest. Tools with such a name are called with `client.call(name)`.
 */
const NOT_TOOLS: ReadonlySet<string> = new Set([
  'then',
  'toJSON',
  'inspect',
  ...Object.getOwnPropertyNames(Object.prototype),
])

/** Makes `tools.NAME(args)`: resolves with structured content or text, rejects with a ToolCallError. */
export function createTools<App>(call: Call): Tools<App> {
  const functions = new Map<string, unknown>()
  const handler: ProxyHandler<object> = {
    get(_, name) {
      if (name === 'toString') return () => '[object Tools]'
      if (typeof name !== 'string' || NOT_TOOLS.has(name)) return undefined
      if (!functions.has(name)) functions.set(name, createTool(name, call))
      return functions.get(name)
    },
  }
  return new Proxy(Object.create(null), handler) as Tools<App>
}

function createTool(name: string, call: Call): unknown {
  return async (args?: JsonObject, options?: RequestOptions) => {
    const result = await call(name, args, options)
    if (result.isError) throw new ToolCallError(name, result)
    return result.structured === undefined ? result.text() : result.structured
  }
}
