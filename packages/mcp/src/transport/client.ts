// The public entry `@gantry/mcp/client`: the client, and the transports that run on any runtime.
export * from '../client/index.ts'
export { connect, type ConnectOptions } from './connect.ts'
export type { AuthProvider, AuthRequest } from './http-auth.ts'
export { http } from './http-client.ts'
export type { FetchLike, HttpClientOptions, HttpHeaders, ReconnectOptions } from './http-client-options.ts'
export { sse } from './sse-client.ts'
