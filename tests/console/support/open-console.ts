import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { expect } from 'vitest'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

export interface OpenConsole {
  readonly page: Page
  /** What went wrong in the page: errors, warnings and everything that the policy stopped. */
  readonly complaints: string[]
  /** Goes to a page of the console as a link would. */
  go(path: string): Promise<void>
  close(): Promise<void>
}

/** The console of a gateway in a window of its own, opened by the URL that `serve` prints. */
export async function openConsole(
  browser: Browser,
  consoleUrl: string,
  options: BrowserContextOptions = {},
): Promise<OpenConsole> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const page = await context.newPage()
  page.setDefaultTimeout(Number(process.env.CONSOLE_TIMEOUT ?? 60_000))
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`))
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  await page.goto(consoleUrl)
  await page.getByRole('heading', { level: 1 }).waitFor()
  const base = consoleUrl.replace(/#.*$/, '').replace(/\/$/, '')
  return {
    page,
    complaints,
    async go(path) {
      await page.goto(base + path)
      await page.getByRole('heading', { level: 1 }).waitFor()
    },
    close: () => context.close(),
  }
}

/** What axe finds in both themes, as text that says where. The page is left in the light one. */
export async function axe(page: Page): Promise<string[]> {
  await page.evaluate(AXE)
  const found: string[] = []
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    found.push(...(await axeNow(page)).map((one) => `${colorScheme} ${one}`))
  }
  return found
}

/**
 * It must not copy style sheets, which the policy of the page stops. For rules that hold it names one element and not
 * all of them, which would take most of the time.
 */
function axeNow(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const { violations } = await (
      globalThis as unknown as {
        axe: { run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> }
      }
    ).axe.run({ preload: false, resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } })
    return violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`,
    )
  })
}

export async function expectNoOverflow(page: Page): Promise<void> {
  const [content, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth])
  expect(content).toBeLessThanOrEqual(window!)
}

/** The words in badges that have no room. */
export function cutWords(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('main [class*="badge"]')]
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1)
      .map(({ textContent }) => textContent ?? ''),
  )
}
