import type { WriteBytes } from './line-writer.node.ts'

/**
 * Sends everything that is printed to stdout to stderr instead, so that a stray `console.log` cannot
 * corrupt the message stream. Returns the real writer and a function that puts things back.
 */
export function guardStdout(): { write: WriteBytes; restore: () => void } {
  const real = process.stdout.write
  const write = real.bind(process.stdout) as WriteBytes
  // Looked up when something is printed: opening stderr takes a start the better part of a millisecond.
  const diverted = ((...printed: Parameters<typeof process.stderr.write>) =>
    process.stderr.write(...printed)) as typeof process.stdout.write
  process.stdout.write = diverted
  return {
    write,
    restore() {
      if (process.stdout.write === diverted) process.stdout.write = real
    },
  }
}
