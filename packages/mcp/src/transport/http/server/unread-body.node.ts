import type { IncomingMessage, ServerResponse } from 'node:http'

/** How much of a refused body is read and thrown away, and for how long. */
const MOST_DRAINED = { bytes: 256 * 1024, milliseconds: 1000 }
const LOOK_EVERY = 50

/** Drains the body of a request that was answered early, within bounds, or the answer could be lost. */
export function drainUnreadBody(request: IncomingMessage, response: ServerResponse): void {
  // Streams of HTTP/2 are bounded by their windows, and share a socket.
  if (request.complete || request.httpVersionMajor !== 1 || !announcesBody(request)) return
  const { socket } = request
  const closes = !isShort(request)
  if (closes) {
    response.shouldKeepAlive = false
    // Node would destroy the socket with the last byte of the answer. Ending our side leaves the client time to read it.
    socket.destroySoon = () => void socket.end()
  }
  const begun = Date.now()
  const readBefore = socket.bytesRead
  request.on('error', () => {})
  request.resume()
  const timer = setInterval(() => {
    const isDrained = request.complete && (!closes || socket.writableFinished)
    const isOver =
      Date.now() - begun > MOST_DRAINED.milliseconds || socket.bytesRead - readBefore > MOST_DRAINED.bytes
    if (!isDrained && !isOver && !socket.destroyed) return
    clearInterval(timer)
    if (closes || !request.complete) socket.destroy()
  }, LOOK_EVERY)
  timer.unref()
}

function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

function isShort({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length']) <= MOST_DRAINED.bytes
}
