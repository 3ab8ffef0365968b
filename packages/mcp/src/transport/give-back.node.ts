import type { ServerResponse } from 'node:http'

/** Less is not worth the trouble, and may lie in memory that Node shares out. */
const MIN_BYTES = 16 * 1024

/** Who alone sends a buffer; undefined when it is sent more than once. */
const senders = new WeakMap<ArrayBufferLike, ServerResponse | undefined>()

/**
 * Gives the memory of a body back to the system once it has been sent. V8 would find out by going through all of
 * its heap, every 20 MB or so, which takes longer than sending them.
 *
 * The bytes are gone then, for whoever else looks at them, and nobody gets to see others in their place. As a write
 * that is under way would still read from memory that is not its own any more, only what has provably left by the
 * socket of this response, and of no other, is given back. What is kept by mistake, the collector finds.
 */
export function giveBackWhenSent(response: ServerResponse, pieces: readonly Uint8Array[]): void {
  const buffers = pieces.filter(isAlone).map(({ buffer }) => buffer as ArrayBuffer)
  for (const buffer of buffers) senders.set(buffer, senders.has(buffer) ? undefined : response)
  const { socket } = response
  // Streams of HTTP/2 share a socket, which says nothing about one of them.
  if (socket === null || response.req.httpVersionMajor !== 1) return
  const end = socket.bytesWritten + pieces.reduce((sum, piece) => sum + piece.length, 0)
  response.once('finish', () => {
    if (socket.destroyed || socket.writableLength !== 0 || !(socket.bytesWritten >= end)) return
    discard(buffers.filter((buffer) => senders.get(buffer) === response))
  })
}

/** The first and the last piece of a line often share theirs with other lines. */
function isAlone({ buffer, byteLength }: Uint8Array): boolean {
  return byteLength >= MIN_BYTES && byteLength === buffer.byteLength && buffer instanceof ArrayBuffer
}

let nowhere: MessagePort | undefined

/** What is transferred to a port that has no other end is lost (HTML, message port post message steps). */
function discard(buffers: ArrayBuffer[]): void {
  nowhere ??= portToNowhere()
  try {
    nowhere.postMessage(undefined, buffers)
  } catch {
    // Memory that cannot be transferred stays.
  }
}

function portToNowhere(): MessagePort {
  const { port1, port2 } = new MessageChannel()
  port2.close()
  return port1
}
