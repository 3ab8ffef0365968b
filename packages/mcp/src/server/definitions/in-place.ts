import type { JsonObject } from '../../jsonrpc/index.ts'
import type { InferInput, InferOutput } from '../../schema/index.ts'
import type { Context } from '../questions/context.ts'
import type {
  AnyPrompt,
  ArgumentsOf,
  KnownMembers,
  PlainValue,
  PromptArguments,
  TemplateDefinition,
} from './definitions.ts'

// Definitions that are written in place, as in `new Server({ tools: { add: { input, run: (args) => … } } })`, are typed
// by their own schemas. TypeScript infers one type by the keys of a mapped type, so every fact that is inferred has a
// mapped type of its own, and a definition fits all of them. Each costs the compiler time: infer.test.ts measures it.

type IfKnown<T, Known, Otherwise> = unknown extends T ? Otherwise : Known

/** The value that a typed client gets from a tool: of its output schema, else of its handler. */
export type ValueOf<Out, Returned> = IfKnown<Out, Out, PlainValue<Awaited<Returned>>>

/** The types of tools in a list, for typed clients: those whose `name` is a literal. */
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

type TypesOfTool<Tool> = Tool extends { run(...args: never): infer Returned }
  ? {
      input: Tool extends { input: infer S } ? InferInput<S> : JsonObject
      output: Tool extends { output: infer S } ? InferOutput<S> : PlainValue<Awaited<Returned>>
    }
  : never

/**
 * Prompts by name. `Declared` are their `arguments`, `In` the types of their input schemas. If a completer in
 * `arguments` has parameters without types, the compiler cannot infer `arguments` in time, and the handler gets its
 * arguments as a record. `prompt()` infers them.
 */
export type PromptsInPlace<Declared, In, Types> = {
  readonly [K in keyof Declared]: Omit<AnyPrompt, 'arguments' | 'input' | 'run'> & {
    arguments?: Declared[K] & PromptArguments & KnownMembers<Declared[K]>
    run(
      args: IfKnown<Declared[K], ArgumentsOf<Declared[K]>, TextOr<In[K & keyof In], 'output'>>,
      context: Context,
    ): ReturnType<AnyPrompt['run']>
  }
} & {
  readonly [K in keyof In]: { input?: { readonly '~standard': { readonly types?: In[K] | undefined } } }
} & {
  readonly [K in keyof Types]: { '~types'?: Types[K] }
}

/** One of the two types that a schema tells; texts by name where there is none. */
type TextOr<Types, Side extends 'input' | 'output'> = keyof Types extends never
  ? Record<string, string>
  : Types[Side & keyof Types]

/** The arguments that a typed client passes to a prompt. */
export type PromptInput<Declared, In, Types> = IfKnown<
  Types,
  NonNullable<Types>,
  { input: IfKnown<Declared, ArgumentsOf<Declared>, TextOr<In, 'input'>> }
>

/** The types of prompts in a list, for typed clients: those whose `name` is a literal. */
export type ListedPromptTypes<List> = List extends readonly (infer Item)[]
  ? { [Prompt in NamedTool<Item> as Prompt['name']]: { input: TypesOfPrompt<Prompt> } }
  : unknown

type TypesOfPrompt<Prompt> = Prompt extends { input: infer S }
  ? InferInput<S>
  : Prompt extends { arguments: infer Declared }
    ? ArgumentsOf<Declared>
    : Record<string, string>

/** Templates by name, their variables typed by their URIs. */
export type TemplatesInPlace<Uris extends Readonly<Record<string, string>>> = {
  readonly [K in keyof Uris]: TemplateDefinition<Uris[K]>
}
