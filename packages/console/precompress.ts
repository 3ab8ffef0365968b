import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Plugin } from 'vite'

/** Below this, compression saves no packet. */
const SMALLEST = 1_024

/** Puts `.br` and `.gz` beside every file that is worth it, so that the gateway never compresses on the way. */
export function precompress(): Plugin {
  return {
    name: 'precompress',
    apply: 'build',
    async writeBundle({ dir = '' }, bundle) {
      const files = Object.values(bundle).map((file) => ({
        path: join(dir, file.fileName),
        content: Buffer.from(file.type === 'chunk' ? file.code : file.source),
      }))
      const worth = files.filter(
        ({ path, content }) => content.length >= SMALLEST && /\.(js|css|html|svg|json)$/.test(path),
      )
      await Promise.all(worth.map(compress))
    },
  }
}

async function compress({ path, content }: { path: string; content: Buffer }): Promise<void> {
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: content.length }
  await writeFile(`${path}.br`, await promisify(brotliCompress)(content, { params }))
  await writeFile(`${path}.gz`, await promisify(gzip)(content, { level: 9 }))
}
