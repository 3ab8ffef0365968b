export { toNodeHandler, type NodeHandler, type NodeHandlerOptions } from './node-handler.node.ts'
export { serveSocket, type SocketServer } from './socket-server.node.ts'
export { serveStdio, type ServeStdioOptions } from './stdio-server.node.ts'
export { serveStream, type ServeStreamOptions } from './serve-stream.node.ts'
