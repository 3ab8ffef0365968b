import type { ByteSource } from '../server/index.ts'

/**
 * A file as content of any size: it is read while it is sent, and is not held in memory.
 *
 * Rejects when there is no such file. Whether the caller may have it is for you to decide: a path from a caller's
 * arguments can lead anywhere.
 *
 * ```ts
 * tool({ run: async () => image(await file('plot.png'), 'image/png') })
 * resource({ uri: 'logs://today', mimeType: 'text/plain', read: async () => ({ text: await file('today.log') }) })
 * ```
 */
export async function file(path: string | URL): Promise<ByteSource> {
  // Asked for here: a server that sends no files does not load streams of files at its start.
  const { createReadStream, promises } = process.getBuiltinModule('node:fs')
  if (!(await promises.stat(path)).isFile()) throw new TypeError(`${String(path)} is not a file`)
  return { [Symbol.asyncIterator]: () => createReadStream(path)[Symbol.asyncIterator]() }
}
