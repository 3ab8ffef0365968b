// The public entry `@gantry/mcp/client`: the client, and the transports that run on any runtime.
export * from '../client/index.ts'
export { connect, type ConnectOptions, type ConnectTarget, type McpServerEntry } from './connect.ts'
export type { Arrival, ArrivalReader, Arrivals } from '../transport/arrivals.ts'
export type { AuthProvider, AuthRequest } from '../transport/http/client/auth.ts'
export { http } from '../transport/http/client/http-client.ts'
export type { FetchLike } from '../transport/http/client/quick-fetch.ts'
export type {
  HttpClientOptions,
  HttpHeaders,
} from '../transport/http/client/options.ts'
export { sse } from '../transport/http/client/sse-client.ts'
