import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const CONSOLE = fileURLToPath(new URL('../../../packages/console/', import.meta.url))
export const DIST: string = join(CONSOLE, 'dist')

/** `npm test` builds first; a single file run by hand gets a console that is not older than its source. */
export function ensureBuilt(): void {
  const index = join(DIST, 'index.html')
  if (existsSync(index) && statSync(index).mtimeMs >= newest(join(CONSOLE, 'src'))) return
  execFileSync('npm', ['run', 'build', '--silent'], { cwd: CONSOLE, stdio: ['ignore', 'ignore', 'inherit'] })
}

function newest(folder: string): number {
  return Math.max(
    ...readdirSync(folder, { withFileTypes: true }).map((entry) => {
      const path = join(folder, entry.name)
      return entry.isDirectory() ? newest(path) : statSync(path).mtimeMs
    }),
  )
}
