import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../scripts/lib/paths.mjs'

const SKIPPED = /^(node_modules|dist|build|coverage|\.git|\.cache|\.gantry)$/

/** Paths of the repository's own files, from its root, without what is installed or built. */
export function sourceFiles(folder = ''): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true })
    .filter(({ name }) => !SKIPPED.test(name))
    .flatMap((entry) => {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      return entry.isDirectory() ? sourceFiles(path) : [path]
    })
    .sort()
}
