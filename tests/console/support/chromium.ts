import { chromium, type Browser } from 'playwright-core'
import { CHROMIUM_ARGS, ensureChromium } from '../../../scripts/lib/chromium.mjs'

const { path, reason } = (await ensureChromium()) as { path?: string; reason?: string }

if (path === undefined) {
  console.warn(
    `The tests of the console are skipped: there is no Chromium, and it could not be installed (${reason}). Install it, or name it in CHROMIUM.`,
  )
}

export const hasChromium: boolean = path !== undefined

export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: path!, headless: true, args: CHROMIUM_ARGS })
}
