import type { JsonObject } from '../jsonrpc/index.ts'
import type {
  Annotations,
  CacheScope,
  CallToolResult,
  ContentBlock,
  GetPromptResult,
  Icon,
  Meta,
  PromptArgument,
  PromptMessage,
  ReadResourceResult,
  ResourceContents,
  ToolAnnotations,
} from '../protocol/index.ts'
import type { Schema, StandardSchema } from '../schema/index.ts'
import type { Context } from './context.ts'
import type { TaskMode } from './extension-hooks.ts'
import type { HandMadeRound } from './input-required.ts'
import type { Visibility } from './visibility.ts'

type MaybePromise<T> = T | Promise<T>

export interface CommonOptions extends Visibility {
  name?: string
  title?: string
  description?: string
  icons?: Icon[]
  _meta?: Meta
}

/** What a tool may return besides its structured output. */
export type ToolReply = string | ContentBlock | ContentBlock[] | ToolResult | HandMadeRound | undefined

/** A result written out in full: `new ToolResult({ content, isError })`. */
export class ToolResult {
  readonly result: CallToolResult

  constructor(result: Omit<CallToolResult, 'content'> & { content?: ContentBlock[] }) {
    this.result = { content: [], ...result } as CallToolResult
  }
}

/** `In` is what callers pass, `Args` what the handler gets, `Out` the output: types of values, not schemas. */
export interface ToolOptions<In = JsonObject, Args = In, Out = unknown> extends CommonOptions {
  /** A Standard Schema, or JSON Schema: as a literal, from TypeBox, or of any type that describes it. */
  input?: StandardSchema<In, Args> | Schema
  output?: StandardSchema<unknown, Out> | Schema
  annotations?: ToolAnnotations
  readOnlyHint?: boolean
  destructiveHint?: boolean
  idempotentHint?: boolean
  openWorldHint?: boolean
  /** Whether calls become tasks: see `tasks` in `@gantry/mcp/extensions/tasks`. */
  task?: TaskMode
  /** The output schema decides what may be returned; what is returned does not widen it. */
  run(args: Args, context: Context): MaybePromise<NoInfer<Out> | ToolReply>
}

/** A tool as a value. `tool()` makes one, and so does any object of this shape. */
export interface ToolDefinition<In = JsonObject, Args = In, Out = unknown>
  extends ToolOptions<In, Args, Out> {
  /** For typed clients; there is nothing here at run time. */
  readonly '~types'?: { input: In; output: Out }
}

// biome-ignore lint/suspicious/noExplicitAny: arguments are contravariant; nothing narrower accepts every tool
export type AnyTool = ToolDefinition<any, any, any>

/** Declares a tool; argument and result types come from the schemas. */
export function tool<In = JsonObject, Args = In, Out = unknown>(
  options: ToolOptions<In, Args, Out>,
): ToolDefinition<In, Args, Out> {
  return options
}

/** Gives completions for what was typed so far; `others` are the arguments already chosen. */
export type Completer = (
  value: string,
  context: Context & { readonly others: Readonly<Record<string, string>> },
) => MaybePromise<readonly string[] | { values: readonly string[]; total?: number; hasMore?: boolean }>

export interface PromptArgumentOptions {
  title?: string
  description?: string
  required?: boolean
  complete?: Completer
}

export type PromptReply = string | PromptMessage | PromptMessage[] | GetPromptResult | HandMadeRound

export interface PromptOptions<Args = Record<string, string>> extends CommonOptions {
  /** The arguments, as a list or by name; or take them from a schema with `input`. */
  arguments?: (PromptArgument & { complete?: Completer })[] | Record<string, PromptArgumentOptions>
  input?: StandardSchema<unknown, Args>
  run(args: Args, context: Context): MaybePromise<PromptReply>
}

export type PromptDefinition<Args = Record<string, string>> = PromptOptions<Args>
// biome-ignore lint/suspicious/noExplicitAny: arguments are contravariant; nothing narrower accepts every prompt
export type AnyPrompt = PromptDefinition<any>

export function prompt<Args = Record<string, string>>(options: PromptOptions<Args>): PromptDefinition<Args> {
  return options
}

export type ResourceReply =
  | string
  | Uint8Array
  | ResourceContents
  | ResourceContents[]
  | ReadResourceResult
  | HandMadeRound
  | undefined

export interface ResourceFacts extends CommonOptions {
  mimeType?: string
  annotations?: Annotations
  size?: number
  /** How long a client may keep what it read, and whether it may be shared. */
  ttlMs?: number
  cacheScope?: CacheScope
}

export interface ResourceDefinition extends ResourceFacts {
  uri: string
  /** Static content; or produce it with `read`. */
  text?: string
  blob?: Uint8Array | string
  read?(uri: string, context: Context): MaybePromise<ResourceReply>
}

export function resource(options: ResourceDefinition): ResourceDefinition {
  return options
}

export type TemplateVariables = Record<string, string | string[]>

export interface TemplateDefinition extends ResourceFacts {
  uriTemplate: string
  read(variables: TemplateVariables, context: Context & { readonly uri: string }): MaybePromise<ResourceReply>
  complete?: Record<string, Completer>
}

export function template(options: TemplateDefinition): TemplateDefinition {
  return options
}
