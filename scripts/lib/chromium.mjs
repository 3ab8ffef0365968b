import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { chromium } from 'playwright-core'
import { withLock } from './lock.mjs'
import { ROOT, toolPath } from './paths.mjs'
import { run } from './processes.mjs'

/** Several checkouts share one browser. */
const LOCK = join(tmpdir(), `gantry-chromium-${process.getuid?.() ?? 'user'}.lock`)
/** Why it could not be installed, so that the next of many test files does not spend minutes on finding out. */
const FAILURE = join(ROOT, 'node_modules', '.cache', 'gantry', 'no-chromium')
const FAILURE_HOLDS = 10 * 60_000
const MINUTES = 10

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** Nothing but pages: no first run, no updates, no talk with anybody. */
export const CHROMIUM_ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Where Chromium is, or why there is none: it is installed when it is missing and that is possible. */
export function ensureChromium() {
  // A browser that another process is installing is there before it can run, so even looking takes the lock.
  return withLock(LOCK, async () => lookUp() ?? (await install()))
}

function lookUp() {
  const named = process.env.CHROMIUM
  if (named)
    return existsSync(named) ? { path: named } : { reason: `CHROMIUM names ${named}, which is not there` }
  const path = [...PLACES, chromium.executablePath()].find(existsSync)
  if (path !== undefined) return { path }
  const isKnown = existsSync(FAILURE) && Date.now() - statSync(FAILURE).mtimeMs < FAILURE_HOLDS
  return isKnown ? { reason: readFileSync(FAILURE, 'utf8') } : undefined
}

async function install() {
  rmSync(FAILURE, { force: true })
  const failures = []
  for (const { what, steps } of ways()) {
    console.log(`installing Chromium with ${what} …`)
    const failure = await firstFailure(steps)
    const found = lookUp()
    if (found) return found
    failures.push(`${what}: ${failure ?? 'it left no Chromium behind'}`)
  }
  const reason = failures.join('; ')
  mkdirSync(dirname(FAILURE), { recursive: true })
  writeFileSync(FAILURE, reason)
  return { reason }
}

/** Debian's package comes with the libraries that it needs, so it is the first choice wherever it can be had. */
function ways() {
  const root = existsSync('/usr/bin/apt-get') ? asRoot() : undefined
  const download = { args: [process.execPath, toolPath('playwright-core'), 'install', 'chromium'] }
  return [
    ...(root
      ? [{ what: 'apt-get', steps: aptSteps([...root, 'env', 'DEBIAN_FRONTEND=noninteractive']) }]
      : []),
    { what: "Playwright's download", steps: [download] },
  ]
}

function aptSteps(prefix) {
  const options = ['-y', '-q', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=300']
  return [
    // A machine made from an image has no package lists, or old ones that name files which are gone. A source
    // that cannot be reached is no reason to stop: Chromium may come from another.
    { args: [...prefix, 'apt-get', 'update', '-q'], mayFail: true },
    { args: [...prefix, 'apt-get', 'install', ...options, 'chromium'] },
  ]
}

/** What to put before a command to run it as root; undefined where that takes a password. */
function asRoot() {
  if (process.getuid?.() === 0) return []
  try {
    execFileSync('sudo', ['-n', 'true'], { stdio: 'ignore' })
    return ['sudo', '-n']
  } catch {
    return undefined
  }
}

async function firstFailure(steps) {
  for (const { args, mayFail = false } of steps) {
    const [command, ...rest] = args
    const code = await run(command, rest, { timeout: MINUTES * 60_000 })
    if (code !== 0 && !mayFail) return `exit code ${code}, its messages are above`
  }
}
