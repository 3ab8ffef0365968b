export type {
  AuthInfo,
  ClientFacts,
  Exchange,
  InputRequests,
  Middleware,
  Outcome,
} from '../exchange/index.ts'
export { McpError, ProtocolError, type JsonObject, type NumberMode } from '../jsonrpc/index.ts'
export type * from '../protocol/types.ts'
// By a star, because the compiler merges what applications declare with nothing else.
export type * from '../exchange/app-types.ts'
export {
  describePrincipal,
  REVISIONS,
  samePrincipal,
  type Duration,
  type Era,
  type Principal,
  type Revision,
} from '../protocol/index.ts'
export { PromptBase, ResourceBase, TemplateBase, ToolBase } from './definitions/class-forms.ts'
export {
  Configuration,
  configure,
  type ConfigurationOptions,
  type ExceptionContext,
  type InstrumentationData,
} from './configuration.ts'
export {
  assistant,
  audio,
  embeddedResource,
  image,
  promptResult,
  resourceLink,
  text,
  user,
  type SentContents,
} from './definitions/content.ts'
export type { ByteSource } from '../protocol/late-bytes.ts'
export type { CallerState } from './questions/kept-values.ts'
export { Context } from './questions/context.ts'
export {
  Declined,
  type Elicit,
  type ElicitOutcome,
  type PageOptions,
  type QuestionOptions,
} from './questions/elicit.ts'
export { UrlElicitationRequired, type PageToVisit } from './questions/url-required.ts'
export type { StreamSource } from './questions/stream-content.ts'
export { QuestionError } from './questions/question-error.ts'
export {
  prompt,
  resource,
  template,
  tool,
  ToolResult,
  type AnyPrompt,
  type AnyTemplate,
  type AnyTool,
  type Completer,
  type InFull,
  type PlainTool,
  type PromptArgumentOptions,
  type PromptDefinition,
  type ResourceDefinition,
  type Structured,
  type TemplateDefinition,
  type ToolDefinition,
} from './definitions/definitions.ts'
export type { ListedPromptTypes, ListedToolTypes } from './definitions/in-place.ts'
export type { ChangeSource, TaskMode, TaskRunner } from './definitions/extension-hooks.ts'
export { InsufficientScope } from '../exchange/server/answer.ts'
export { inputRequired, type HandMadeRound } from './questions/input-required.ts'
export type { Mountable, MountedPrompts, MountedTools } from './mounting/mountable.ts'
export type { Registration } from './registry/registry.ts'
export type { ReplayWarning, ReplayWatcher } from './questions/replay-watch.ts'
export type { MethodHandler } from './dispatch.ts'
// What `app.tool(…)` returns: declaration files of projects name it.
export type { Server as ServerInstance } from './server.ts'
export { Server, type ServerConstructor, type TypedServerOptions } from './typed-server.ts'
export type { CacheHint, ListedResource, ResourceList, ServerOptions } from './definitions/server-options.ts'
export { MemoryStore, type Store } from './store.ts'
export { ToolError } from './running/call-tool.ts'
export { UriTemplate } from './definitions/uri-template.ts'
export type { TemplateVariables } from './definitions/uri-variables.ts'
export type { Caller, Visibility } from './definitions/visibility.ts'
