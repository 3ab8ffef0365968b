import type { Browser, BrowserContextOptions } from 'playwright-core'
import { afterAll, beforeAll, describe } from 'vitest'
import { adminGateway, until, type AdminGateway } from '../../support/admin-gateway.ts'
import { ensureBuilt } from './built-console.ts'
import { launch } from './chromium.ts'
import { openConsole, type OpenConsole } from './open-console.ts'

export interface ConsoleSuite {
  readonly gateway: AdminGateway
  readonly browser: Browser
  /** The console in a window of its own. */
  open(options?: BrowserContextOptions): Promise<OpenConsole>
}

export interface SuiteOptions {
  readonly config: string | Record<string, unknown>
  /** The name of the configuration file. */
  readonly name?: string
  /** How many entries the catalog must have before the first test. */
  readonly entries?: number
}

/** Tests with a gateway and a Chromium of their own. */
export function describeConsole(
  title: string,
  { config, name, entries = 0 }: SuiteOptions,
  body: (suite: ConsoleSuite) => void,
): void {
  describe(title, () => {
    let gateway: AdminGateway
    let browser: Browser

    beforeAll(async () => {
      await ensureBuilt()
      gateway = await adminGateway(config, name === undefined ? {} : { name })
      browser = await launch()
      await until(
        async () => (await gateway.api.call('catalog', { query: {} })).entries.length >= entries,
        'The catalog',
      )
    })

    afterAll(async () => {
      await browser?.close()
      await gateway?.close()
    })

    body({
      get gateway() {
        return gateway
      },
      get browser() {
        return browser
      },
      open: (options) => openConsole(browser, gateway.consoleUrl!, options),
    })
  })
}
