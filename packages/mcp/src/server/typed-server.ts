import type { JsonObject } from '../jsonrpc/index.ts'
import type { Icon, Meta, Revision, ToolAnnotations } from '../protocol/index.ts'
import type { Schema } from '../schema/index.ts'
import type { AnyTemplate, AnyTool, AnyPrompt, InFull } from './definitions/definitions.ts'
import type { TaskMode } from './definitions/extension-hooks.ts'
import type {
  ListedPromptTypes,
  ListedToolTypes,
  PromptsInPlace,
  PromptInput,
  TemplatesInPlace,
  ValueOf,
} from './definitions/in-place.ts'
import type { ServerSettings } from './definitions/server-options.ts'
import type { Context } from './questions/context.ts'
import { Server as UntypedServer } from './server.ts'

type ByName = { readonly [name: string]: unknown }
type Listed<T> = readonly (T | (new () => T))[]

/** `never` is a tool of which the compiler saw nothing but handlers with parameters. */
type InputOf<Types> = keyof Types extends never
  ? JsonObject
  : string extends keyof Types
    ? JsonObject
    : Types['input' & keyof Types]

/** The options of a server, with its tools, prompts and templates typed in place. */
export interface TypedServerOptions<Tools, Prompts, Templates> extends ServerSettings {
  tools?: Tools
  prompts?: Prompts
  templates?: Templates | Listed<AnyTemplate>
}

/**
 * The tools of a server are typed here and not in a type with a name: the compiler counts half as much again for a name.
 * `In` is what each input schema says of its types, `Out` the value of each output schema. The options that all tools
 * have are written out, because an intersection with them costs more.
 */
export interface ServerConstructor {
  new <
    const List extends Listed<AnyTool>,
    In extends ByName = {},
    Out extends ByName = {},
    Returned extends ByName = {},
    const Declared extends ByName = {},
    PromptIn extends ByName = {},
    KnownPrompts extends ByName = {},
    Uris extends Readonly<Record<string, string>> = {},
    const PromptList extends Listed<AnyPrompt> = readonly [],
  >(
    options: TypedServerOptions<
      | ({
          readonly [K in keyof In]: {
            input?: { readonly '~standard': { readonly types?: In[K] | undefined } } | Schema | undefined
            run(
              args: keyof In[K] extends never ? JsonObject : In[K]['output' & keyof In[K]],
              context: Context,
            ): Out[K & keyof Out] | InFull | Promise<Out[K & keyof Out] | InFull>
          }
        } & {
          readonly [K in keyof Out]: {
            output?:
              | { readonly '~standard': { readonly types?: { readonly output: Out[K] } | undefined } }
              | Schema
              | undefined
          }
        } & {
          readonly [K in keyof Returned]: {
            name?: string
            title?: string
            description?: string
            icons?: Icon[]
            _meta?: Meta
            when?: AnyTool['when']
            scopes?: readonly string[]
            annotations?: ToolAnnotations
            readOnlyHint?: boolean
            destructiveHint?: boolean
            idempotentHint?: boolean
            openWorldHint?: boolean
            task?: TaskMode
            run(...args: never): Returned[K]
          }
        })
      | List,
      PromptsInPlace<Declared, PromptIn, KnownPrompts> | PromptList,
      TemplatesInPlace<Uris>
    >,
  ): Server<
    {
      [K in keyof Returned]: {
        input: InputOf<In[K & keyof In]>
        output: ValueOf<Out[K & keyof Out], Returned[K & keyof Returned]>
      }
    } & ListedToolTypes<List>,
    {
      [K in keyof Declared]: PromptInput<
        Declared[K],
        PromptIn[K & keyof PromptIn],
        KnownPrompts[K & keyof KnownPrompts]
      >
    } & ListedPromptTypes<PromptList>
  >
  /** Pins the revision of servers made afterwards; `null` takes the pin away. */
  get protocolVersion(): Revision | null | undefined
  set protocolVersion(version: Revision | null)
}

/** A registry of tools, prompts and resources for all connections. Nothing is built per request. */
export const Server: ServerConstructor = UntypedServer as unknown as ServerConstructor
export type Server<Tools = unknown, Prompts = unknown> = UntypedServer<Tools, Prompts>
