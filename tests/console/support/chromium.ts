import { chromium, type Browser } from 'playwright-core'
import { CHROMIUM_ARGS, ensureChromium } from '../../../scripts/lib/chromium.mjs'

const { path, reason } = (await ensureChromium()) as { path?: string; reason?: string }

if (path === undefined) {
  throw new Error(
    `There is no Chromium, and it could not be installed (${reason}). Install it, or name it in CHROMIUM.`,
  )
}

export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: path!, headless: true, args: CHROMIUM_ARGS })
}
