export type {
  AmbiguousRequest,
  ClientEdge,
  ClientFacts,
  Connector,
  Continuations,
  Exchange,
  HandshakeStep,
  InputRequest,
  InputRequests,
  InputResponses,
  Middleware,
  Notification,
  Outcome,
  ParkedCall,
  ReconnectOptions,
  RequestAnswer,
  Wire,
} from '../exchange/index.ts'
export { LegacyClientEdge } from '../exchange/legacy/client/edge.ts'
export { MemoryContinuations } from '../exchange/legacy/client/questions.ts'
export { ModernClientEdge } from '../exchange/modern/client-edge.ts'
export { McpError, ProtocolError, type JsonObject, type McpErrorCode } from '../jsonrpc/index.ts'
export type { Duration, Era, Revision } from '../protocol/index.ts'
export type * from '../protocol/types.ts'
export type { AnswerContext, AnswerHandlers } from './answers.ts'
export type { CallEvent, QuestionEvent } from './call-events.ts'
export { CallResult } from './call-result.ts'
export { Client, type CompletionReference } from './client.ts'
export type { ClientEvents, ClientOptions } from './client-options.ts'
export type { Deadline } from './deadlines/deadline.ts'
export { EraCache, sharedEraCache, type EraCacheOptions, type EraFinding } from './negotiation/era-cache.ts'
export { negotiate, type EdgeHooks, type Negotiated, type NegotiateOptions } from './negotiation/negotiate.ts'
export { Pages } from './pages.ts'
export type { LogMessage, Progress, RequestOptions } from './request-options.ts'
export type { SavedCall, StartedCall } from './saved-call.ts'
export type { Subscription } from './subscriptions/subscriptions.ts'
export { ToolCallError, type PromptCall, type Prompts, type Tools } from './tools.ts'
