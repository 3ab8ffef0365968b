import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isStale } from '../../scripts/lib/freshness.mjs'
import { npmCommand } from '../../scripts/lib/install.mjs'
import { run } from '../../scripts/lib/processes.mjs'

const BENCH = join(import.meta.dirname, '..')
const MANIFEST = join(BENCH, 'package.json')

/** Installs the peers into this folder, where the project does not see them. */
export async function installPeers() {
  if (!isStale(join(BENCH, 'node_modules', '.package-lock.json'), [MANIFEST])) return
  console.log('installing peers …')
  const { command, args } = npmCommand()
  const quiet = ['--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const code = await run(command, [...args, 'install', ...quiet], { cwd: BENCH })
  if (code !== 0) throw new Error(`npm could not install the peers (exit code ${code})`)
}

/** The versions of the peers, as this folder's manifest fixes them. */
export function peerVersions() {
  return JSON.parse(readFileSync(MANIFEST, 'utf8')).dependencies
}
