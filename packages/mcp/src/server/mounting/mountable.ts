import type { Handle } from '../../exchange/index.ts'

/**
 * What can be mounted: a server, a client of another server, or anything that answers exchanges, such as an API of
 * `gantry/openapi`.
 */
export type Mountable = { readonly respond: Handle } | { readonly handle: Handle }

/** The types of a mounted server for typed clients, under its prefix. */
export type MountedTools<Prefix extends string, Other> = Prefixed<Prefix, ToolsOf<Other>>
export type MountedPrompts<Prefix extends string, Other> = Prefixed<Prefix, PromptsOf<Other>>

type Prefixed<Prefix extends string, Types> = {
  [Name in keyof Types & string as `${Prefix}_${Name}`]: Types[Name]
}
type ToolsOf<Other> = Other extends { readonly '~app': infer App }
  ? ToolsOf<App>
  : Other extends { readonly '~tools': infer Types }
    ? Types
    : unknown
type PromptsOf<Other> = Other extends { readonly '~app': infer App }
  ? PromptsOf<App>
  : Other extends { readonly '~prompts': infer Types }
    ? Types
    : unknown
