import type { Readable } from 'node:stream'

/** A chunk of this size means that there is more in the pipe. */
export const FULL_CHUNK: number = 32 * 1024

/**
 * Reads a pipe chunk by chunk. As long as one is full, Node goes on reading it; a server that never stops
 * writing would keep everybody else waiting, so whoever else is there gets a turn after each full chunk – unless
 * `push` says that it had nothing to do, as in the middle of a long line.
 */
export function readFairly(stream: Readable, push: (chunk: Uint8Array) => unknown): void {
  stream.on('data', (chunk: Uint8Array) => {
    if (push(chunk) === false || chunk.length < FULL_CHUNK) return
    stream.pause()
    setImmediate(() => stream.resume())
  })
}
