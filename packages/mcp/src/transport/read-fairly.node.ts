import type { Readable } from 'node:stream'

/** A chunk of this size means that there is more in the pipe. */
export const FULL_CHUNK: number = 32 * 1024

/** Reads a pipe and lets others run after each full chunk, unless `push` had nothing to do. */
export function readFairly(stream: Readable, push: (chunk: Uint8Array) => unknown): void {
  stream.on('data', (chunk: Uint8Array) => {
    if (push(chunk) === false || chunk.length < FULL_CHUNK) return
    stream.pause()
    setImmediate(() => stream.resume())
  })
}
