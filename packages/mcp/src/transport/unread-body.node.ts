import type { IncomingMessage } from 'node:http'

/** How much of a refused body is read and thrown away, and for how long. */
const MOST_DRAINED = { bytes: 256 * 1024, milliseconds: 1000 }

/**
 * To be called when a request is answered before its body was read. A connection that is cut at once may take the
 * answer with it, so the rest is read and thrown away, within bounds: after that the connection is cut.
 */
export function drainUnreadBody(request: IncomingMessage): void {
  if (request.complete || request.destroyed || !announcesBody(request)) return
  let drained = 0
  const cut = (): void => void request.destroy()
  const timer = setTimeout(cut, MOST_DRAINED.milliseconds)
  timer.unref()
  request.on('error', () => {})
  request.once('close', () => clearTimeout(timer))
  request.once('end', () => clearTimeout(timer))
  request.on('data', (chunk: Buffer) => {
    drained += chunk.length
    if (drained > MOST_DRAINED.bytes) cut()
  })
}

function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}
