export {
  complete,
  failure,
  MAX_ROUNDS,
  type AuthInfo,
  type ClientFacts,
  type Complete,
  type Exchange,
  type Failure,
  type Handle,
  type InputRequest,
  type InputRequests,
  type InputRequired,
  type InputResponses,
  type Middleware,
  type MirroredParameter,
  type Sending,
  type Notification,
  type Outcome,
  type TaskHandle,
  type Cancellation,
} from './exchange.ts'
export {
  abortError,
  Canceller,
  cancellationOf,
  signalCancellation,
  composeMiddleware,
  pause,
  PlainExchange,
  type ExchangeInit,
  type RequestContext,
} from './plain-exchange.ts'
export { bindingOf, Sealer } from '../protocol/encoding.ts'
export { CallTable } from './pending-requests.ts'
export {
  OpenSet,
  type OpenMember,
  Budget,
  type BudgetLimit,
  type BudgetLimits,
  callerKey,
  isKept,
  senderKey,
  type Sender,
} from '../protocol/callers.ts'
export type {
  Connector,
  IncomingMessage,
  OpenOptions,
  ReconnectOptions,
  Wire,
  WireRequestOptions,
  WireTap,
} from './wire.ts'
export { deriveExchange, type ExchangeChanges } from './derive-exchange.ts'
export { coversUri, HeldNotifications } from './subscriptions.ts'
export {
  missingCapabilities,
  missingCapability,
  ASKS_IN_ROUNDS,
  PARTIAL_CONTENT,
  RELATED_REQUEST,
  withoutOlderTasks,
} from './message-hints.ts'
export {
  type Owner,
  ownerOf,
  createIdMinter,
  orAbort,
  type ClientEdge,
  type ClientEdgeOptions,
  type IdMinter,
} from './client/client-edge.ts'
export type { LegacySessionFacts } from './legacy/server/handshake.ts'
export { LegacySession } from './legacy/server/session.ts'
export type { LegacyIo } from './legacy/server/served-call.ts'
export { SERVER_LOGS, TASK_STATUS } from './legacy/server/subscriptions.ts'
export { isModernRequest, openModernExchange, readEnvelope, type Envelope } from './modern/server-edge.ts'
export { IncreasingProgress } from './server/announcements.ts'
export {
  writeError,
  writeNotification,
  writeOutcome,
  writeRequest,
  writeResult,
  respondSafely,
  refusalOf,
  type RequestRefusal,
  RefusedForLoad,
  type LoadRefusal,
  InsufficientScope,
  modernRevisions,
  negotiateLegacy,
  type Served,
} from './server/answer.ts'
export { playRounds, type RoundsHost } from './server/play-rounds.ts'
export { SubscriptionMeter, type SubscriptionLimits } from './server/subscription-meter.ts'
export { ServerConnection, type ServerConnectionOptions } from './server/server-connection.ts'
export { LegacyClientEdge, type LegacyClientEdgeOptions } from './legacy/client/edge.ts'
export {
  MemoryContinuations,
  type Continuations,
  type MemoryContinuationsOptions,
  type ParkedCall,
} from './legacy/client/questions.ts'
export type { HandshakeStep } from './legacy/client/handshake.ts'
export type { RequestAnswer } from './legacy/client/extension.ts'
export type { AmbiguousRequest } from './legacy/client/inbox.ts'
export { ModernClientEdge, type ModernClientEdgeOptions } from './modern/client-edge.ts'
export { jsonOf, lengthOf, outlineOf } from './received-result.ts'
export { PrefixedUris } from './prefixed-uris.ts'
export { playModernRounds, type SendRound } from './modern/client-rounds.ts'

// Programs that use this layer, such as a gateway, need the vocabulary below it as well.
export {
  copyWith,
  HEADER_MISMATCH,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  isJsonObject,
  METHOD_NOT_FOUND,
  MISSING_CLIENT_CAPABILITY,
  canonicalJson,
  jsonReader,
  JsonNumber,
  setMember,
  ProtocolError,
  toNumber,
  withBigInts,
  withPlainNumbers,
  writeJson,
  type JsonObject,
  type NumberMode,
} from '../jsonrpc/index.ts'
export {
  describePrincipal,
  type FormsOf,
  eraOf,
  isMethodInRevision,
  isModern,
  LATEST_LEGACY,
  LATEST_MODERN,
  META,
  mirrorArguments,
  MODERN_REVISIONS,
  principalKey,
  isResourceNotFound,
  type OptionForm,
  type OptionForms,
  requireKnownOptions,
  resourceNotFound,
  samePrincipal,
  shapeResult,
  type Principal,
} from '../protocol/index.ts'
