export { file } from './file.node.ts'
export {
  toNodeHandler,
  type NodeHandler,
  type NodeHandlerOptions,
  drainUnreadBody,
  repeatedHeader,
} from '../transport/http/server/node-handler.node.ts'
export { serveSocket, type SocketServer } from '../transport/stdio/socket-server.node.ts'
export { serveStdio, type ServeStdioOptions } from '../transport/stdio/server.node.ts'
export { serveStream, type ServeStreamOptions } from '../transport/stdio/serve-stream.node.ts'
