export * from '../server/index.ts'
export {
  toFetchHandler,
  type FetchHandler,
  type FetchHandlerOptions,
} from '../transport/http/server/fetch-handler.ts'
export {
  corsHeaders,
  isPreflight,
  refuseForeign,
  type GateOptions,
} from '../transport/http/server/request-headers.ts'
export type { Guard, GuardVerdict, ScopeChallenge, HttpHead } from '../transport/http/server/reply.ts'
export type { HttpServiceOptions } from '../transport/http/server/service-options.ts'
export { UnreadAnswers, type UnreadLimits } from '../transport/held-bytes.ts'
export { HttpMeter, type HttpLimits } from '../transport/http/server/meter.ts'
export { headerParameters, type HeaderParameter } from '../schema/index.ts'
