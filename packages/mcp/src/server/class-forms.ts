import type { Annotations, Icon, JsonSchema, Meta, ToolAnnotations } from '../protocol/index.ts'
import type { StandardSchema } from '../schema/index.ts'
import type { Context } from './context.ts'
import type { TaskMode } from './extension-hooks.ts'
import type { PromptArgumentOptions, PromptReply, ResourceReply, ToolOptions } from './definitions.ts'

/**
 * The class form of a tool. Without a `name` it gets its class's name in snake_case.
 *
 * ```ts
 * class AddNumbers extends Tool<{ a: number; b: number }> {
 *   description = 'Adds two numbers'
 *   input = z.object({ a: z.number(), b: z.number() })
 *   run({ a, b }: { a: number; b: number }) {
 *     return String(a + b)
 *   }
 * }
 * ```
 */
export abstract class Tool<Args = never, Out = unknown> {
  name?: string
  title?: string
  description?: string
  icons?: Icon[]
  _meta?: Meta
  annotations?: ToolAnnotations
  input?: StandardSchema<unknown, Args> | JsonSchema
  output?: StandardSchema<unknown, Out> | JsonSchema
  scopes?: readonly string[]
  task?: TaskMode

  abstract run(args: Args, context: Context): ReturnType<ToolOptions<Args, Args, Out>['run']>
}

/** The class form of a prompt. */
export abstract class Prompt<Args = Record<string, string>> {
  name?: string
  title?: string
  description?: string
  icons?: Icon[]
  _meta?: Meta
  arguments?: Record<string, PromptArgumentOptions>
  scopes?: readonly string[]

  abstract run(args: Args, context: Context): PromptReply | Promise<PromptReply>
}

/** The class form of a resource. */
export abstract class Resource {
  abstract uri: string
  name?: string
  title?: string
  description?: string
  icons?: Icon[]
  _meta?: Meta
  mimeType?: string
  annotations?: Annotations
  scopes?: readonly string[]

  abstract read(uri: string, context: Context): ResourceReply | Promise<ResourceReply>
}

/** `AddNumbers` → `add_numbers`, `HTTPFetch` → `http_fetch`. */
export function snakeCase(name: string): string {
  return name
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
}

/** Undefined for plain objects: only instances of a named class lend their name. */
export function classNameOf(value: object): string | undefined {
  const maker = value.constructor
  return typeof maker === 'function' && maker !== Object && maker.name ? snakeCase(maker.name) : undefined
}
