export * from '../server/index.ts'
export { toFetchHandler, type FetchHandler, type FetchHandlerOptions } from './fetch-handler.ts'
export type { Guard, GuardVerdict, HttpServiceOptions } from './http-service.ts'
export type { HttpCall } from './http-reply.ts'
