import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { withLock } from './lock.mjs'
import { run } from './processes.mjs'

/** Several checkouts share one installation. */
const LOCK = join(tmpdir(), `gantry-prometheus-${process.getuid?.() ?? 'user'}.lock`)
const PLACES = ['/usr/bin', '/usr/local/bin', '/opt/homebrew/bin']
const MINUTES = 10

/** Where `prometheus` and `promtool` are. Debian's package is installed when they are missing; throws when that fails. */
export function ensurePrometheus() {
  return withLock(LOCK, async () => {
    const found = lookUp()
    if (found) return found
    const prefix = [...asRoot(), 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get']
    console.log('installing Prometheus with apt-get …')
    // A machine made from an image has no package lists, or old ones.
    await start([...prefix, 'update', '-q'])
    await start([...prefix, 'install', '-y', '-q', '--no-install-recommends', 'prometheus'])
    const installed = lookUp()
    if (installed) return installed
    throw new Error('Prometheus is missing and could not be installed: its messages are above')
  })
}

function lookUp() {
  const folder = PLACES.find(
    (one) => existsSync(join(one, 'promtool')) && existsSync(join(one, 'prometheus')),
  )
  return folder && { prometheus: join(folder, 'prometheus'), promtool: join(folder, 'promtool') }
}

function start([command, ...args]) {
  return run(command, args, { timeout: MINUTES * 60_000 })
}

/** What to put before a command to run it as root. */
function asRoot() {
  if (process.getuid?.() === 0) return []
  execFileSync('sudo', ['-n', 'true'], { stdio: 'ignore' })
  return ['sudo', '-n']
}
