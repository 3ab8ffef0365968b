import { createServer, type Server as NetServer, type Socket } from 'node:net'
import type { Served } from '../exchange/index.ts'
import { serveStream, type ServeStreamOptions } from './serve-stream.node.ts'

export interface SocketServer {
  readonly server: NetServer
  close(): Promise<void>
}

/** Serves the stdio framing on a Unix socket or on TCP; TCP is bound to loopback unless a host is given. */
export async function serveSocket(
  served: Served,
  address: { path: string } | { port: number; host?: string },
  options: ServeStreamOptions = {},
): Promise<SocketServer> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
    serveStream(served, socket, socket, options).finally(() => socket.end())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    const where = 'path' in address ? address : { host: '127.0.0.1', ...address }
    server.listen(where, resolve)
  })
  return {
    server,
    close() {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
