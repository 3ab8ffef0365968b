// npm run walk: the files that one call runs through, in the order in which it enters them.
// The call is the longest ordinary way: a modern tools/call with a question, to a legacy server on stdio.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { ROOT } from './lib/paths.mjs'

/** Paths below `packages/`, each once. */
export async function walk() {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      '--conditions=@gantry/source',
      '--import',
      pathToFileURL(join(ROOT, 'scripts/walk/tracing-loader.mjs')).href,
      join(ROOT, 'scripts/walk/traced-call.mjs'),
    ],
    { cwd: ROOT, maxBuffer: 64 * 1024 * 1024 },
  )
  return JSON.parse(stdout)
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const files = await walk()
  const folders = new Set(files.map((file) => file.replace(/\/[^/]*$/, '')))
  console.log(`${files.join('\n')}\n\n${files.length} files in ${folders.size} folders`)
}
