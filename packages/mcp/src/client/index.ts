export {
  LegacyClientEdge,
  MemoryContinuations,
  ModernClientEdge,
  type AmbiguousRequest,
  type ClientEdge,
  type ClientFacts,
  type Connector,
  type Continuations,
  type Exchange,
  type HandshakeStep,
  type InputRequest,
  type InputRequests,
  type InputResponses,
  type Middleware,
  type Notification,
  type Outcome,
  type ParkedCall,
  type Wire,
} from '../exchange/index.ts'
export { McpError, ProtocolError, type McpErrorCode } from '../jsonrpc/index.ts'
export type { AnswerContext, AnswerHandlers } from './answers.ts'
export type { CallEvent, QuestionEvent } from './call-events.ts'
export { CallResult } from './call-result.ts'
export { Client, type CompletionReference } from './client.ts'
export type { ClientEvents, ClientOptions } from './client-options.ts'
export { EraCache, sharedEraCache, type EraCacheOptions, type EraFinding } from './era-cache.ts'
export { negotiate, type EdgeHooks, type Negotiated, type NegotiateOptions } from './negotiate.ts'
export { Pages } from './pages.ts'
export type { LogMessage, Progress, RequestOptions } from './request-options.ts'
export type { SavedCall, StartedCall } from './saved-call.ts'
export type { Subscription } from './subscriptions.ts'
export { ToolCallError } from './tool-call-error.ts'
export type { Tools } from './tools.ts'
