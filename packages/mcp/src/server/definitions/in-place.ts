import type { JsonObject } from '../../jsonrpc/index.ts'
import type { InferInput, InferOutput, Schema, StandardSchema } from '../../schema/index.ts'
import type { Context } from '../questions/context.ts'
import type {
  AnyPrompt,
  AnyTool,
  ArgumentsOf,
  InFull,
  PlainValue,
  PromptArguments,
  TemplateDefinition,
} from './definitions.ts'

// Definitions that are written in place, as in `new Server({ tools: { add: { input, run: (args) => … } } })`, are typed
// by their own schemas. TypeScript infers one type by the keys of a mapped type, so every fact that is inferred has a
// mapped type of its own, and a definition fits all of them. Each costs the compiler time: infer.test.ts measures it.

type IfKnown<T, Known, Otherwise> = unknown extends T ? Otherwise : Known

/** All that tools have in common; not generic, so that the compiler looks at it once. */
type ToolFacts = Omit<AnyTool, 'input' | 'output' | 'run' | '~types'>

type MaybePromise<T> = T | Promise<T>

/** Tools by name. `Args` is what each handler gets, `In` what callers pass, `Types` what `tool()` found out. */
export type ToolsInPlace<Args, In, Out, Returned, Types> = {
  readonly [K in keyof Args]: ToolFacts & {
    input?: StandardSchema<unknown, Args[K]> | Schema
    run(
      args: IfKnown<Args[K], Args[K], JsonObject>,
      context: Context,
    ): MaybePromise<Out[K & keyof Out] | InFull>
  }
} & { readonly [K in keyof Out]: { output?: StandardSchema<unknown, Out[K]> | Schema } } & {
  readonly [K in keyof In]: { input?: StandardSchema<In[K], unknown> | Schema }
} & { readonly [K in keyof Returned]: { run(args: never, context: never): Returned[K] } } & {
  readonly [K in keyof Types]: { '~types'?: Types[K] }
}

/** What typed clients know of tools: for `Server<…>`. */
export type ToolTypes<In, Out, Returned, Types> = {
  [K in keyof Out]: K extends keyof In & keyof Returned & keyof Types
    ? IfKnown<
        Types[K],
        NonNullable<Types[K]>,
        {
          input: IfKnown<In[K], In[K], JsonObject>
          output: IfKnown<Out[K], Out[K], PlainValue<Awaited<Returned[K]>>>
        }
      >
    : never
}

/** What typed clients know of tools in a list: those whose `name` is a literal. */
export type ListedToolTypes<List> = List extends readonly (infer Item)[]
  ? { [Tool in NamedTool<Item> as Tool['name']]: TypesOfTool<Tool> }
  : unknown

type NamedTool<Item> = Item extends new () => infer Instance
  ? NamedTool<Instance>
  : Item extends { name: infer Name extends string }
    ? string extends Name
      ? never
      : Item
    : never

type TypesOfTool<Tool> = Tool extends { readonly '~types'?: infer Types extends object }
  ? Types
  : Tool extends { run(...args: never): infer Returned }
    ? {
        input: Tool extends { input: infer S } ? InferInput<S> : JsonObject
        output: Tool extends { output: infer S } ? InferOutput<S> : PlainValue<Awaited<Returned>>
      }
    : never

/**
 * Prompts by name. `Declared` is what each has as `arguments`. The compiler cannot look into `arguments` in time when a
 * completer there has parameters without types; the handler then gets its arguments as a record. `prompt()` knows them.
 */
export type PromptsInPlace<Declared, Args, In, Types> = {
  readonly [K in keyof Declared]: Omit<AnyPrompt, 'arguments' | 'run'> & {
    arguments?: Declared[K] & PromptArguments
    run(
      args: IfKnown<
        Declared[K],
        ArgumentsOf<Declared[K]>,
        IfKnown<Args[K & keyof Args], Args[K & keyof Args], Record<string, string>>
      >,
      context: Context,
    ): ReturnType<AnyPrompt['run']>
  }
} & { readonly [K in keyof Args]: { input?: StandardSchema<unknown, Args[K]> } } & {
  readonly [K in keyof In]: { input?: StandardSchema<In[K], unknown> }
} & { readonly [K in keyof Types]: { '~types'?: Types[K] } }

/** What typed clients know of prompts in a list: those whose `name` is a literal. */
export type ListedPromptTypes<List> = List extends readonly (infer Item)[]
  ? { [Prompt in NamedTool<Item> as Prompt['name']]: { input: TypesOfPrompt<Prompt> } }
  : unknown

type TypesOfPrompt<Prompt> = Prompt extends { input: infer S }
  ? InferInput<S>
  : Prompt extends { arguments: infer Declared }
    ? ArgumentsOf<Declared>
    : Record<string, string>

export type PromptTypes<Declared, In, Types> = {
  [K in keyof Declared]: K extends keyof In & keyof Types
    ? IfKnown<
        Types[K],
        NonNullable<Types[K]>,
        {
          input: IfKnown<In[K], In[K], IfKnown<Declared[K], ArgumentsOf<Declared[K]>, Record<string, string>>>
        }
      >
    : never
}

/** Templates by name, their variables typed by their URIs. */
export type TemplatesInPlace<Uris extends Readonly<Record<string, string>>> = {
  readonly [K in keyof Uris]: TemplateDefinition<Uris[K]>
}
