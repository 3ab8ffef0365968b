export { createNodeFetch, type NodeFetchOptions } from './http-client-fetch.node.ts'
export {
  createResponse,
  decodeBody,
  type ResponseBody,
  type ResponseHead,
} from './http-client-fetch-response.node.ts'
export {
  abortReason,
  callerOf,
  plainHeaders,
  type QuickFetch,
  quickFetch,
  type QuickInit,
} from './quick-fetch.ts'
export { reachLookup } from './reach-lookup.node.ts'
export { socket, type SocketAddress, type SocketConnector, type SocketOptions } from './socket-client.node.ts'
export { stdio } from './stdio-client.node.ts'
export type {
  StdioConnector,
  StdioOptions,
  StdioProcess,
  StdioProcessUsage,
  StdioShutdown,
  StdioWire,
} from './stdio-client-options.ts'
