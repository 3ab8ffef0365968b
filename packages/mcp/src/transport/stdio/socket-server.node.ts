import type { Server as NetServer, Socket } from 'node:net'
import type { Served } from '../../exchange/index.ts'
import { createUnread } from './pipe-reader.node.ts'
import { requireStreamOptions, serveStream, type ServeStreamOptions } from './serve-stream.node.ts'

const LINGER = 2_000

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
  requireStreamOptions(options)
  // Loaded here: a server on stdio does without.
  const { createServer } = await import('node:net')
  const sockets = new Set<Socket>()
  const unread = options.unread ?? createUnread()
  // A client may say all it has to say, end its half, and still wait for the answers.
  const server = createServer({ allowHalfOpen: true, keepAlive: true }, (socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.on('close', () => sockets.delete(socket))
    serveStream(served, socket, socket, { ...options, unread }).finally(() => hangUp(socket))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    // An empty host would be every network interface.
    const where = 'path' in address ? address : { ...address, host: address.host || '127.0.0.1' }
    server.listen(where, resolve)
  })
  // An error while accepting concerns the caller that was not accepted, not the others.
  server.on('error', () => {})
  return {
    server,
    close() {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

/** A peer that neither reads nor closes gets a moment to take the last bytes. */
function hangUp(socket: Socket): void {
  socket.end()
  const timer = setTimeout(() => socket.destroy(), LINGER)
  socket.once('close', () => clearTimeout(timer))
}
