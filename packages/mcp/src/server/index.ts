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
export {
  describePrincipal,
  REVISIONS,
  samePrincipal,
  type Era,
  type Principal,
  type Revision,
} from '../protocol/index.ts'
export { Prompt, Resource, Tool } from './class-forms.ts'
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
} from './content.ts'
export { Context } from './context.ts'
export { Declined, type Elicit, type ElicitOutcome, type QuestionOptions } from './elicit.ts'
export { QuestionError } from './question-error.ts'
export {
  prompt,
  resource,
  template,
  tool,
  ToolResult,
  type AnyPrompt,
  type AnyTool,
  type Completer,
  type PromptDefinition,
  type PromptOptions,
  type ResourceDefinition,
  type TemplateDefinition,
  type TemplateVariables,
  type ToolDefinition,
  type ToolOptions,
} from './definitions.ts'
export type { ChangeSource, TaskMode, TaskRunner } from './extension-hooks.ts'
export { InsufficientScope } from '../exchange/server/answer.ts'
export { inputRequired } from './input-required.ts'
export type { Registration } from './registry.ts'
export type { ReplayWarning, ReplayWatcher } from './replay-watch.ts'
export { Server, type MethodHandler } from './server.ts'
export type { CacheHint, ServerOptions } from './server-options.ts'
export { MemoryStore, type Store } from './store.ts'
export { ToolError } from './call-tool.ts'
export { UriTemplate } from './uri-template.ts'
export type { Caller, Visibility } from './visibility.ts'
