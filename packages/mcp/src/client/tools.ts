import type { JsonObject } from '../jsonrpc/index.ts'
import type { CallResult } from './call-result.ts'
import type { RequestOptions } from './request-options.ts'
import { ToolCallError } from './tool-call-error.ts'

/** The tools of a server as functions. `App` is the server's own type: `connect<typeof app>(…)`. */
export type Tools<App> = App extends { readonly '~tools'?: infer Types }
  ? { readonly [Name in keyof NonNullable<Types>]: ToolFunction<NonNullable<Types>[Name]> }
  : { readonly [name: string]: (args?: JsonObject, options?: RequestOptions) => Promise<unknown> }

type ToolFunction<Type> = Type extends { input: infer Input; output: infer Output }
  ? {} extends Input
    ? (args?: Input, options?: RequestOptions) => Promise<Output>
    : (args: Input, options?: RequestOptions) => Promise<Output>
  : never

type Call = (name: string, args: JsonObject | undefined, options?: RequestOptions) => Promise<CallResult>

/** Makes `tools.NAME(args)`: resolves with structured content or text, rejects with a ToolCallError. */
export function createTools<App>(call: Call): Tools<App> {
  const functions = new Map<string, unknown>()
  const handler: ProxyHandler<object> = {
    get(_, name) {
      // Promises look for `then`: an object that has one cannot be awaited or returned from async functions.
      if (typeof name !== 'string' || name === 'then') return undefined
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
