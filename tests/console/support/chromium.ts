import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, dirname } from 'node:path'
import { chromium, type Browser } from 'playwright-core'

const PLACES = [
  process.env.CHROMIUM ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** Nothing but pages: no first run, no updates, no talk with anybody. */
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Where Chromium is; it is installed when it is missing and that is possible. */
function findChromium(): string | undefined {
  const found = () => [...PLACES, chromium.executablePath()].find((path) => path !== '' && existsSync(path))
  return found() ?? (install() ? found() : undefined)
}

function install(): boolean {
  const isDebianRoot = process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')
  const cli = join(dirname(createRequire(import.meta.url).resolve('playwright-core')), 'cli.js')
  const [command, ...args] = isDebianRoot
    ? ['apt-get', 'install', '-y', '--no-install-recommends', 'chromium']
    : [process.execPath, cli, 'install', 'chromium']
  try {
    execFileSync(command!, args, { stdio: 'ignore', timeout: 180_000 })
    return true
  } catch {
    return false
  }
}

const path = findChromium()

if (path === undefined) {
  console.warn(
    'The tests of the console are skipped: there is no Chromium, and it could not be installed. Install it, or name it in CHROMIUM.',
  )
}

export const hasChromium: boolean = path !== undefined

export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: path!, headless: true, args: ARGS })
}
