import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isStale } from './freshness.mjs'
import { withLock } from './lock.mjs'
import { ROOT } from './paths.mjs'
import { run } from './processes.mjs'

/** Installs a folder's packages when they are missing or older than its lock file; returns whether it had to. */
export async function install(folder, what) {
  if (!isMissing(folder)) return false
  // Test files that need the same tool run side by side.
  return withLock(lockOf(folder), () => isMissing(folder) && runInstall(folder, what))
}

function isMissing(folder) {
  const installed = join(folder, 'node_modules', '.package-lock.json')
  return isStale(installed, [join(folder, 'package-lock.json')])
}

function lockOf(folder) {
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 16)
  return join(tmpdir(), `gantry-install-${name}.lock`)
}

async function runInstall(folder, what) {
  console.log(`installing ${what} …`)
  const npm = npmCommand()
  const code = await run(npm.command, [...npm.args, 'ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
  })
  if (code !== 0) throw new Error(`npm could not install ${what} (exit code ${code}); its messages are above`)
  return true
}

/** npm itself: what runs us when we are run by npm, else the command on the path. */
export function npmCommand() {
  const script = process.env.npm_execpath
  if (script?.endsWith('npm-cli.js') && existsSync(script))
    return { command: process.execPath, args: [script] }
  return process.platform === 'win32'
    ? { command: process.env.ComSpec ?? 'cmd.exe', args: ['/d', '/s', '/c', 'npm'] }
    : { command: 'npm', args: [] }
}

/** The project's own packages, at the root. */
export function installProject() {
  return install(ROOT, 'packages')
}
