import { execFileSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isStale } from '../../../scripts/lib/freshness.mjs'
import { withLock } from '../../../scripts/lib/lock.mjs'

const PACKAGES = fileURLToPath(new URL('../../../packages/', import.meta.url))
const CONSOLE = join(PACKAGES, 'console')
export const DIST: string = join(CONSOLE, 'dist')

const SOURCES = ['src', 'public', 'index.html', 'vite.config.ts', 'precompress.ts'].map((path) =>
  join(CONSOLE, path),
)

/** `npm test` builds first; a single file run by hand gets a console that is not older than its source. */
export async function ensureBuilt(): Promise<void> {
  const contract = join(PACKAGES, 'gateway', 'src', 'admin', 'contract')
  await withLock(join(tmpdir(), 'gantry-console-build.lock'), async () => {
    if (!isStale(join(DIST, 'index.html'), [...SOURCES, contract])) return
    execFileSync('npm', ['run', 'build', '--silent'], {
      cwd: CONSOLE,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  })
}
