import type { JsonObject } from '../jsonrpc/index.ts'

// The vocabulary of the specification (2026-07-28, plus earlier revisions). Objects are open.

export type Meta = JsonObject
export type LoggingLevel =
  | 'debug'
  | 'info'
  | 'notice'
  | 'warning'
  | 'error'
  | 'critical'
  | 'alert'
  | 'emergency'
export type Role = 'user' | 'assistant'
export type ProgressToken = string | number

export interface Icon {
  src: string
  mimeType?: string
  sizes?: string[]
  theme?: 'light' | 'dark'
}

export interface Implementation {
  name: string
  version: string
  title?: string
  description?: string
  websiteUrl?: string
  icons?: Icon[]
}

export interface ClientCapabilities {
  experimental?: { [key: string]: JsonObject }
  roots?: { listChanged?: boolean }
  sampling?: { context?: JsonObject; tools?: JsonObject }
  elicitation?: { form?: JsonObject; url?: JsonObject }
  extensions?: { [key: string]: JsonObject }
  [key: string]: unknown
}

export interface ServerCapabilities {
  experimental?: { [key: string]: JsonObject }
  logging?: JsonObject
  completions?: JsonObject
  prompts?: { listChanged?: boolean }
  resources?: { subscribe?: boolean; listChanged?: boolean }
  tools?: { listChanged?: boolean }
  /** 2025-11-25 only. */
  tasks?: { list?: JsonObject; cancel?: JsonObject; requests?: { tools?: { call?: JsonObject } } }
  extensions?: { [key: string]: JsonObject }
  [key: string]: unknown
}

export interface Annotations {
  audience?: Role[]
  priority?: number
  lastModified?: string
}

export interface TextContent {
  type: 'text'
  text: string
  annotations?: Annotations
  _meta?: Meta
}
export interface ImageContent {
  type: 'image'
  data: string
  mimeType: string
  annotations?: Annotations
  _meta?: Meta
}
export interface AudioContent {
  type: 'audio'
  data: string
  mimeType: string
  annotations?: Annotations
  _meta?: Meta
}
export interface ResourceContents {
  uri: string
  mimeType?: string
  text?: string
  blob?: string
  _meta?: Meta
}
export interface EmbeddedResource {
  type: 'resource'
  resource: ResourceContents
  annotations?: Annotations
  _meta?: Meta
}
export interface Resource {
  uri: string
  name: string
  title?: string
  description?: string
  mimeType?: string
  annotations?: Annotations
  size?: number
  icons?: Icon[]
  _meta?: Meta
}
export interface ResourceLink extends Resource {
  type: 'resource_link'
}
export interface ToolUseContent {
  type: 'tool_use'
  id: string
  name: string
  input: JsonObject
  _meta?: Meta
}
export interface ToolResultContent {
  type: 'tool_result'
  toolUseId: string
  content: ContentBlock[]
  structuredContent?: unknown
  isError?: boolean
  _meta?: Meta
}
export type ContentBlock = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource
export type SamplingContent = TextContent | ImageContent | AudioContent | ToolUseContent | ToolResultContent

export interface ResourceTemplate {
  uriTemplate: string
  name: string
  title?: string
  description?: string
  mimeType?: string
  annotations?: Annotations
  icons?: Icon[]
  _meta?: Meta
}

export interface ToolAnnotations {
  title?: string
  readOnlyHint?: boolean
  destructiveHint?: boolean
  idempotentHint?: boolean
  openWorldHint?: boolean
}

export type JsonSchema = JsonObject

export interface Tool {
  name: string
  title?: string
  description?: string
  inputSchema: JsonSchema
  outputSchema?: JsonSchema
  annotations?: ToolAnnotations
  /** 2025-11-25 only: whether it may, or must, be called as a task. */
  execution?: { taskSupport?: 'forbidden' | 'optional' | 'required' }
  icons?: Icon[]
  _meta?: Meta
}

export interface PromptArgument {
  name: string
  title?: string
  description?: string
  required?: boolean
}
export interface Prompt {
  name: string
  title?: string
  description?: string
  arguments?: PromptArgument[]
  icons?: Icon[]
  _meta?: Meta
}
export interface PromptMessage {
  role: Role
  content: ContentBlock
}

export interface CallToolResult {
  content: ContentBlock[]
  structuredContent?: unknown
  isError?: boolean
  _meta?: Meta
  [key: string]: unknown
}
export interface GetPromptResult {
  description?: string
  messages: PromptMessage[]
  _meta?: Meta
  [key: string]: unknown
}
export interface ReadResourceResult {
  contents: ResourceContents[]
  ttlMs?: number
  cacheScope?: CacheScope
  _meta?: Meta
  [key: string]: unknown
}
export interface CompleteResult {
  completion: { values: string[]; total?: number; hasMore?: boolean }
  [key: string]: unknown
}
export type CacheScope = 'public' | 'private'

export interface SamplingMessage {
  role: Role
  content: SamplingContent | SamplingContent[]
  _meta?: Meta
}
export interface CreateMessageParams {
  messages: SamplingMessage[]
  maxTokens: number
  modelPreferences?: {
    hints?: { name?: string }[]
    costPriority?: number
    speedPriority?: number
    intelligencePriority?: number
  }
  systemPrompt?: string
  includeContext?: 'none' | 'thisServer' | 'allServers'
  temperature?: number
  stopSequences?: string[]
  metadata?: JsonObject
  tools?: Tool[]
  toolChoice?: { mode?: 'auto' | 'required' | 'none' }
  [key: string]: unknown
}
export interface CreateMessageResult extends SamplingMessage {
  model: string
  stopReason?: 'endTurn' | 'stopSequence' | 'maxTokens' | 'toolUse' | (string & {})
}

export interface Root {
  uri: string
  name?: string
  _meta?: Meta
}
export interface ListRootsResult {
  roots: Root[]
}

export interface ElicitFormParams {
  mode?: 'form'
  message: string
  requestedSchema: JsonSchema
  [key: string]: unknown
}
export interface ElicitUrlParams {
  mode: 'url'
  message: string
  url: string
  /** 2025-11-25 only. */
  elicitationId?: string
  [key: string]: unknown
}
export type ElicitParams = ElicitFormParams | ElicitUrlParams
export interface ElicitResult {
  action: 'accept' | 'decline' | 'cancel'
  content?: JsonObject
  [key: string]: unknown
}

export interface SubscriptionFilter {
  toolsListChanged?: boolean
  promptsListChanged?: boolean
  resourcesListChanged?: boolean
  resourceSubscriptions?: string[]
  [key: string]: unknown
}

export interface Discovery {
  supportedVersions: string[]
  capabilities: ServerCapabilities
  instructions?: string
  ttlMs?: number
  cacheScope?: CacheScope
  _meta?: Meta
  [key: string]: unknown
}
