import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { withLock } from './lock.mjs'
import { run } from './processes.mjs'

const PLACES = ['/usr/bin', '/usr/sbin', '/usr/local/bin', '/opt/homebrew/bin']
const MINUTES = 10

/**
 * Where the programs are, by their names. Debian's packages are installed when they are missing; throws when that
 * fails. Several checkouts share one installation.
 */
export function ensurePrograms(programs, packages) {
  const lock = join(tmpdir(), `gantry-${packages[0]}-${process.getuid?.() ?? 'user'}.lock`)
  return withLock(lock, async () => {
    const found = lookUp(programs)
    if (found) return found
    const prefix = [...asRoot(), 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get']
    console.log(`installing ${packages.join(', ')} with apt-get …`)
    // A machine made from an image has no package lists, or old ones.
    await start([...prefix, 'update', '-q'])
    await start([...prefix, 'install', '-y', '-q', '--no-install-recommends', ...packages])
    const installed = lookUp(programs)
    if (installed) return installed
    throw new Error(`${programs.join(', ')} could not be installed: the messages of apt-get are above`)
  })
}

function lookUp(programs) {
  const places = [...(process.env.PATH ?? '').split(delimiter), ...PLACES]
  const found = programs.map((name) => places.map((one) => join(one, name)).find(existsSync))
  return found.includes(undefined)
    ? undefined
    : Object.fromEntries(programs.map((name, at) => [name, found[at]]))
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
