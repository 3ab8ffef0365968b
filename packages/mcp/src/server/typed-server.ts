import type { Revision } from '../protocol/index.ts'
import type { AnyTemplate, AnyTool, AnyPrompt } from './definitions/definitions.ts'
import type {
  ListedPromptTypes,
  ListedToolTypes,
  PromptsInPlace,
  PromptTypes,
  TemplatesInPlace,
  ToolsInPlace,
  ToolTypes,
} from './definitions/in-place.ts'
import type { ServerOptions } from './definitions/server-options.ts'
import { Server as UntypedServer } from './server.ts'

type ByName = { readonly [name: string]: unknown }
type Listed<T> = readonly (T | (new () => T))[]

/** The options of a server, with its tools, prompts and templates typed in place. */
export interface TypedServerOptions<Tools, Prompts, Templates>
  extends Omit<ServerOptions, 'tools' | 'prompts' | 'templates'> {
  tools?: Tools
  prompts?: Prompts
  templates?: Templates | Listed<AnyTemplate>
}

export interface ServerConstructor {
  new <
    const List extends Listed<AnyTool>,
    Args extends ByName = {},
    In extends ByName = {},
    Out extends ByName = {},
    Returned extends ByName = {},
    Types extends ByName = {},
    const Declared extends ByName = {},
    PromptArgs extends ByName = {},
    PromptIn extends ByName = {},
    KnownPrompts extends ByName = {},
    Uris extends Readonly<Record<string, string>> = {},
    const PromptList extends Listed<AnyPrompt> = readonly [],
  >(
    options: TypedServerOptions<
      ToolsInPlace<Args, In, Out, Returned, Types> | List,
      PromptsInPlace<Declared, PromptArgs, PromptIn, KnownPrompts> | PromptList,
      TemplatesInPlace<Uris>
    >,
  ): Server<
    ToolTypes<In, Out, Returned, Types> & ListedToolTypes<List>,
    PromptTypes<Declared, PromptIn, KnownPrompts> & ListedPromptTypes<PromptList>
  >
  /** Pins the revision of servers made afterwards; `null` takes the pin away. */
  get protocolVersion(): Revision | null | undefined
  set protocolVersion(version: Revision | null)
}

/** A registry of tools, prompts and resources for all connections. Nothing is built per request. */
export const Server: ServerConstructor = UntypedServer as unknown as ServerConstructor
export type Server<Tools = unknown, Prompts = unknown> = UntypedServer<Tools, Prompts>
