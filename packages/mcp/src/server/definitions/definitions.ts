import type { JsonObject } from '../../jsonrpc/index.ts'
import type {
  Annotations,
  CacheScope,
  Duration,
  CallToolResult,
  ContentBlock,
  GetPromptResult,
  Icon,
  Meta,
  PromptArgument,
  PromptMessage,
  ReadResourceResult,
  ToolAnnotations,
} from '../../protocol/index.ts'
import type { Schema, StandardSchema, TypedSchema } from '../../schema/index.ts'
import type { Context } from '../questions/context.ts'
import type { TaskMode } from './extension-hooks.ts'
import type { ByteSource } from '../../protocol/late-bytes.ts'
import type { CONTENT, SentContents } from './content.ts'
import type { HandMadeRound } from '../questions/input-required.ts'
import type { VariablesOf } from './uri-variables.ts'
import type { Visibility } from './visibility.ts'

type MaybePromise<T> = T | Promise<T>

export interface CommonOptions extends Visibility {
  name?: string
  title?: string
  description?: string
  icons?: Icon[]
  _meta?: Meta
}

/** A result written out in full: `new ToolResult({ content, isError })`. */
export class ToolResult {
  readonly result: CallToolResult

  constructor(result: Omit<CallToolResult, 'content'> & { content?: ContentBlock[] }) {
    this.result = { content: [], ...result } as CallToolResult
  }
}

/** A return value in place of data: a result in full, or questions asked by hand. */
export type InFull = ToolResult | HandMadeRound

/** The value of a JSON Schema whose type is not known: an object, and neither content nor a promise. */
export type Structured = object & { readonly [CONTENT]?: never; then?: never }

/** Everything about a tool but what it returns. `In` is what callers pass, `Args` what the handler gets. */
interface ToolFacts<In, Args> extends CommonOptions {
  /** A Standard Schema, or JSON Schema: as a literal, from TypeBox, or of any type that describes it. */
  input?: TypedSchema<In, Args> | Schema
  annotations?: ToolAnnotations
  readOnlyHint?: boolean
  destructiveHint?: boolean
  idempotentHint?: boolean
  openWorldHint?: boolean
  /** Whether calls become tasks: see `tasks` in `@gantry/mcp/extensions/tasks`. */
  task?: TaskMode
}

/** A tool that promises no output: it may return anything. */
export interface PlainTool<In = JsonObject, Args = In, Returned = unknown> extends ToolFacts<In, Args> {
  output?: undefined
  run(args: Args, context: Context): MaybePromise<Returned>
}

/**
 * A tool as a value. `tool()` makes one, and so does any object of this shape. `Out` is what the handler returns: types
 * of values, not of schemas.
 */
export interface ToolDefinition<In = JsonObject, Args = In, Out = unknown> extends ToolFacts<In, Args> {
  output?: TypedSchema<unknown, Out> | Schema | undefined
  /** The output schema alone decides the type of the return value. */
  run(args: Args, context: Context): MaybePromise<NoInfer<Out> | InFull>
}

// biome-ignore lint/suspicious/noExplicitAny: arguments are contravariant; nothing narrower accepts every tool
export type AnyTool = ToolDefinition<any, any, any>

/** The value that `client.tools.NAME()` gives when a tool without `output` returned it: an object, else text. */
export type PlainValue<Returned> = Returned extends ToolResult
  ? unknown
  : Returned extends HandMadeRound
    ? never
    : // biome-ignore lint/suspicious/noConfusingVoidType: a handler without a return statement returns void
      Returned extends string | number | boolean | ContentBlock | readonly unknown[] | undefined | null | void
      ? string
      : Returned

/** Declares a tool; argument and result types come from the schemas. */
export function tool<In = JsonObject, Args = In, Returned = unknown>(
  options: PlainTool<In, Args, Returned>,
): PlainTool<In, Args, Returned>
export function tool<In = JsonObject, Args = In, Out = Structured>(
  options: ToolDefinition<In, Args, Out>,
): ToolDefinition<In, Args, Out>
export function tool(options: unknown): unknown {
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

export type PromptArguments =
  | readonly (PromptArgument & { complete?: Completer })[]
  | Readonly<Record<string, PromptArgumentOptions>>

/** Refuses what no argument has: the compiler looks for it in no type that it infers. */
export type KnownMembers<Declared> = [OthersIn<Declared>] extends [never]
  ? unknown
  : `An argument has no option "${OthersIn<Declared> & string}"`

type OthersIn<Declared> = Declared extends readonly (infer Argument)[]
  ? OtherMembers<Argument>
  : OtherMembers<Declared[keyof Declared]>
type OtherMembers<Argument> = Argument extends unknown
  ? Exclude<keyof Argument, 'name' | keyof PromptArgumentOptions>
  : never

/** The arguments that a handler gets: text, by the names that `arguments` declares. */
export type ArgumentsOf<Declared> = Declared extends readonly (infer Argument extends PromptArgument)[]
  ? string extends Argument['name']
    ? Record<string, string>
    : ByName<{ [A in Argument as A['name']]: A }>
  : string extends keyof Declared
    ? Record<string, string>
    : ByName<Declared>

type ByName<Declared> = { -readonly [K in RequiredIn<Declared>]: string } & {
  -readonly [K in Exclude<keyof Declared, RequiredIn<Declared>>]?: string
}

/**
 * Asks for the member, not `extends { required: true }`: TypeScript 5.9 infers members of literals as optional at
 * times.
 */
type RequiredIn<Declared> = {
  [K in keyof Declared]: 'required' extends keyof Declared[K]
    ? [Declared[K]['required']] extends [true]
      ? K
      : never
    : never
}[keyof Declared]

interface PromptFacts<Args> extends CommonOptions {
  run(args: Args, context: Context): MaybePromise<PromptReply>
}

/** A prompt whose arguments are declared, as a list or by name. */
export interface PlainPrompt<Declared> extends PromptFacts<ArgumentsOf<Declared>> {
  arguments?: Declared & KnownMembers<Declared>
  input?: undefined
}

export interface PromptDefinition<In = Record<string, string>, Args = In> extends PromptFacts<Args> {
  /** The arguments, as a list or by name; or take them from a schema with `input`. */
  arguments?: PromptArguments
  input?: StandardSchema<In, Args>
  /** For typed clients; there is nothing here at run time. */
  readonly '~types'?: { input: In }
}

// biome-ignore lint/suspicious/noExplicitAny: arguments are contravariant; nothing narrower accepts every prompt
export type AnyPrompt = PromptDefinition<any, any>

/** Declares a prompt; the types of its arguments come from `input`, or from the names in `arguments`. */
export function prompt<const Declared extends PromptArguments = Record<string, PromptArgumentOptions>>(
  options: PlainPrompt<Declared>,
): PromptDefinition<ArgumentsOf<Declared>>
export function prompt<In = Record<string, string>, Args = In>(
  options: PromptDefinition<In, Args>,
): PromptDefinition<In, Args>
export function prompt(options: unknown): unknown {
  return options
}

export type ResourceReply =
  | string
  | Uint8Array
  | ByteSource
  | (Omit<SentContents, 'uri'> & { uri?: string })
  | SentContents[]
  | (Omit<ReadResourceResult, 'contents'> & { contents: SentContents[] })
  | HandMadeRound
  | undefined

export interface ResourceFacts extends CommonOptions {
  mimeType?: string
  annotations?: Annotations
  size?: number
  /** How long a client may keep what it read, and whether it may be shared. */
  ttl?: Duration
  cacheScope?: CacheScope
}

export interface ResourceDefinition extends ResourceFacts {
  uri: string
  /** Static content; or produce it with `read`. A file is read each time: `blob: await file('logo.png')`. */
  text?: string | ByteSource
  blob?: Uint8Array | string | ByteSource
  read?(uri: string, context: Context): MaybePromise<ResourceReply>
}

export function resource(options: ResourceDefinition): ResourceDefinition {
  return options
}

export interface TemplateDefinition<Uri extends string = string> extends ResourceFacts {
  uriTemplate: Uri
  read(variables: VariablesOf<Uri>, context: Context & { readonly uri: string }): MaybePromise<ResourceReply>
  complete?: { readonly [Name in keyof VariablesOf<Uri>]?: Completer }
}

// biome-ignore lint/suspicious/noExplicitAny: variables are contravariant; nothing narrower accepts every template
export type AnyTemplate = TemplateDefinition<any>

/** Declares a template; its variables are typed by the text of `uriTemplate`. */
export function template<const Uri extends string>(
  options: TemplateDefinition<Uri>,
): TemplateDefinition<Uri> {
  return options
}
