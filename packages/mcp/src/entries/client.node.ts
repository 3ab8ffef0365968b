export { createNodeFetch, type NodeFetchOptions } from '../transport/http/client/fetch.node.ts'
export {
  createResponse,
  decodeBody,
  type ResponseBody,
  type ResponseHead,
} from '../transport/http/client/fetch-response.node.ts'
export {
  abortReason,
  callerOf,
  plainHeaders,
  type QuickFetch,
  quickFetch,
  type QuickInit,
} from '../transport/http/client/quick-fetch.ts'
export { reachLookup } from '../transport/http/client/default-fetch.node.ts'
export {
  socket,
  type SocketAddress,
  type SocketConnector,
  type SocketOptions,
} from '../transport/stdio/socket-client.node.ts'
export { stdio } from '../transport/stdio/client.node.ts'
export type {
  StdioConnector,
  StdioOptions,
  StdioProcess,
  StdioProcessUsage,
  StdioShutdown,
  StdioWire,
} from '../transport/process/stdio-options.ts'
export { ArrivingMessage, SHORT_MESSAGE } from '../transport/arrivals.ts'
