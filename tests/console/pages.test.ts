import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { PlainExchange } from '@gantry/mcp/exchange'
import { until } from '../support/admin-gateway.ts'
import { BOTH_ERAS } from '../support/start-gateway.ts'
import { describeConsole } from './support/console-suite.ts'
import { axe, cutWords, expectNoOverflow } from './support/open-console.ts'

const EVERYTHING = join(
  createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json'),
  '../dist/index.js',
)

const MANY = fileURLToPath(new URL('../fixtures/many-tools-server.mjs', import.meta.url))

/** Page, what it has to show before it counts as there. */
const PAGES: [string, string][] = [
  ['/', 'Connect a client'],
  ['/waiting', 'Nothing waits for an answer'],
  ['/approvals', 'No call waits for approval'],
  ['/targets/everything', 'Last lines of its log'],
  ['/targets/everything?tab=handshake', 'Handshake'],
  ['/targets/everything?tab=stderr', 'Find in the log'],
  ['/targets/everything?tab=processes', 'CPU time'],
  ['/targets/everything?tab=capabilities', 'Its answer to the handshake'],
  ['/targets/everything?tab=configuration', 'Undo changes'],
  ['/targets/missing', 'which no-such-command-anywhere'],
  ['/targets/nobody', 'There is no target'],
  ['/add-target', 'Try it'],
  ['/catalog', 'Refresh all lists'],
  ['/catalog?entry=everything_echo&entryKind=tool', 'Definition as clients get it'],
  ['/catalog?entry=everything_nothing&entryKind=tool', 'the page Why of the console'],
  ['/catalog?view=changes', 'What changed'],
  ['/catalog?view=cost', 'The dearest entries'],
  ['/playground', 'Choose what to call'],
  ['/playground?kind=tool&name=everything_echo', 'message'],
  ['/playground?kind=request&name=tools/list', 'completion/complete'],
  ['/wire', 'Record messages'],
  ['/wire?view=timeline', 'Failures'],
  ['/tools', 'Last used'],
  ['/events', 'What the gateway logged last'],
  ['/audit', 'No audit trail is kept'],
  ['/clients', 'Who uses this gateway'],
  ['/access', 'Everybody who reaches the port comes in'],
  ['/access?tab=connections', 'Nobody has connected an account'],
  ['/access?tab=rules', 'There are no rules'],
  ['/access?tab=limits', 'There are no limits'],
  ['/access?tab=results', 'Nothing is taken out of results'],
  ['/access?tab=views', '/mcp/desk'],
  ['/access?tab=try&name=everything_echo', 'Chain of causes'],
  ['/access?tab=seen', 'are seen, for'],
  ['/view', 'Give it a name'],
  ['/view?name=desk&entry=tool+everything+echo', 'What the target has'],
  ['/configuration', 'Review and apply'],
  ['/why', 'Nothing asked yet'],
  ['/why?name=missing_tool', 'Chain of causes'],
  ['/no-such-page', 'This page does not exist'],
]

/** The paths of the console's router, as it has them. */
const ROUTER = readFileSync(new URL('../../packages/console/src/app/router.tsx', import.meta.url), 'utf8')
const ROUTES = [...ROUTER.matchAll(/ path: '([^']+)'/g)].map(([, path]) => path!)

/** Of everything that a page loads before it is quiet, answers of the gateway included, with the weaker compression. */
const MOST_BYTES = 200 * 1024

const config = {
  mcpServers: {
    ...BOTH_ERAS.mcpServers,
    everything: { command: process.execPath, args: [EVERYTHING, 'stdio'] },
    missing: { command: 'no-such-command-anywhere' },
    many: { command: process.execPath, args: [MANY, '2000', 'many'] },
    // Lists to choose from are as wide as their longest name, unless they are kept from it.
    'a-target-with-a-very-long-name-that-somebody-gave-it-in-a-hurry': { command: 'no-such-command' },
  },
  views: { desk: { use: ['tools:everything/*'] } },
}

describeConsole('every page of the console', { config, entries: 2_030 }, (suite) => {
  /** Without HTTP, which would take longer and tell no more. */
  const makeExchanges = async (count: number) => {
    const { respond } = suite.gateway.gateway.endpoint()!
    const info = { name: 'hasty', version: '1' }
    const client = { info, capabilities: {}, version: '2026-07-28' as const }
    for (let left = count; left > 0; left -= 1) {
      const params = { name: `many_tool_${left}`, arguments: {} }
      await respond(new PlainExchange({ method: 'tools/call', params, client }))
    }
  }

  it('is in the list of this test', () => {
    expect(ROUTES.length).toBe(ROUTER.match(/= createRoute\(/g)!.length)
    const isListed = (route: string) => {
      const pattern = new RegExp(`^${route.replace(/\$\w+/, '[^/?]+')}(\\?|$)`)
      return PAGES.some(([path]) => pattern.test(path))
    }
    expect(ROUTES.filter((route) => !isListed(route))).toEqual([])
  })

  for (const width of [1280, 390]) {
    it(`renders, fits and is accessible at ${width} pixels, light and dark`, async () => {
      const viewport = { width, height: width === 390 ? 844 : 900 }
      const { page, complaints, go, close } = await suite.open({
        viewport,
        reducedMotion: 'reduce',
      })
      const found: string[] = []
      const tabs = { seen: new Set<string>(), opened: new Set<string>() }
      for (const [path, text] of PAGES) {
        await go(path)
        const shown = page.getByText(text).or(page.getByLabel(text)).locator('visible=true').first()
        await shown.waitFor().catch(() => expect.fail(`${path} does not show “${text}”`))
        for (const other of width === 390 ? [390] : [768, 1024, 1440, 1920, 1280]) {
          await page.setViewportSize({ ...viewport, width: other })
          await expectNoOverflow(page)
          expect([path, other, await cutWords(page)]).toEqual([path, other, []])
        }
        expect([path, await page.locator('main').textContent()]).not.toEqual([
          path,
          expect.stringContaining('/api/'),
        ])
        found.push(...(await axe(page)).map((one) => `${path} ${one}`))
        for (const tab of await page.getByRole('tab').all()) {
          const name = `${path.replace(/\?.*/, '')}: ${(await tab.textContent())!.replace(/ \(.*/, '')}`
          tabs.seen.add(name)
          if ((await tab.getAttribute('aria-selected')) === 'true') tabs.opened.add(name)
        }
      }
      expect(found).toEqual([])
      // Of a target that is not there, or does not start, the same tabs are listed: one target stands for all.
      expect([...tabs.seen].filter((tab) => !tabs.opened.has(tab) && !/missing/.test(tab))).toEqual([])
      // Asking for what does not exist is answered with 404, which browsers report.
      expect(complaints.filter((text) => !text.includes('404'))).toEqual([])
      await close()
    }, 240_000)
  }

  it('loads each page with few requests and few bytes, and asks for nothing while it is idle', async () => {
    const [base, token] = suite.gateway.consoleUrl!.split('#')
    await makeExchanges(2_000)
    // Targets that are still tried are news, which pages ask for.
    await until(async () => {
      const { targets } = await suite.gateway.api.call('targets', {})
      return targets.every(({ state }) => ['ready', 'quarantined'].includes(state))
    }, 'The end of all tries')
    const tooMuch: unknown[] = []
    const sizes: Record<string, string> = {}
    for (const [path, text] of PAGES) {
      const context = await suite.browser.newContext({ viewport: { width: 1280, height: 900 } })
      const page = await context.newPage()
      await page.clock.install()
      const session = await context.newCDPSession(page)
      await session.send('Network.enable')
      await session.send('Network.setExtraHTTPHeaders', { headers: { 'accept-encoding': 'gzip' } })
      let [requests, bytes] = [0, 0]
      session.on('Network.requestWillBeSent', () => requests++)
      session.on('Network.dataReceived', ({ encodedDataLength }) => {
        bytes += encodedDataLength
      })
      await page.goto(`${base!.replace(/\/$/, '')}${path}#${token}`)
      const shown = page.getByText(text).or(page.getByLabel(text)).locator('visible=true').first()
      await shown.waitFor()
      await page.getByText('live', { exact: true }).first().waitFor()
      const settled = async () => {
        const before = requests
        await page.clock.runFor(1_000)
        return requests === before
      }
      await until(settled, `The end of the requests of ${path}`)
      sizes[path] = `${Math.round(bytes / 1024)} KB, ${requests} requests`
      if (requests > 25 || bytes > MOST_BYTES) tooMuch.push({ path, requests, bytes })
      const before = requests
      await page.clock.fastForward(600_000)
      await page.evaluate(() => fetch('/console/icon.svg'))
      if (requests !== before + 1) tooMuch.push({ path, whileIdle: requests - before - 1 })
      await context.close()
    }
    console.info(JSON.stringify(sizes))
    expect(tooMuch).toEqual([])
  }, 240_000)

  it('asks for a token without one, and takes the URL that serve prints', async () => {
    const context = await suite.browser.newContext()
    const page = await context.newPage()
    await page.goto(`${suite.gateway.url}/console/`)
    await page.getByLabel('Console URL or token').waitFor()
    expect(await axe(page)).toEqual([])
    await page.getByLabel('Console URL or token').fill(suite.gateway.consoleUrl!)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    expect(page.url()).not.toContain('token')
    await context.close()
  })

  it('goes anywhere by keyboard: palette, pages, search', async () => {
    const { page, close } = await suite.open()
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('combobox').fill('everything_echo')
    await page
      .getByRole('option', { name: /everything_echo/ })
      .first()
      .waitFor()
    expect(await axe(page)).toEqual([])
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Playground' }).waitFor()
    await page.getByLabel('message').waitFor()
    await page.locator('body').click({ position: { x: 640, y: 5 } })
    await page.keyboard.press('g')
    await page.keyboard.press('c')
    await page.getByRole('heading', { name: 'Catalog' }).waitFor()
    await page.getByRole('tab', { name: 'Entries' }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('echo')
    await page.getByText('shown').waitFor()
    expect(await page.getByRole('searchbox').inputValue()).toBe('echo')
    expect(page.url()).toContain('q=echo')
    await close()
  })

  it('switches its theme and remembers it', async () => {
    const { page, close } = await suite.open({ colorScheme: 'light' })
    await page.getByRole('button', { name: /Theme: system/ }).click()
    await page.getByRole('button', { name: /Theme: light/ }).click()
    await page.reload()
    await page.getByRole('button', { name: /Theme: dark/ }).waitFor()
    const scheme = await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)
    expect(scheme).toBe('dark')
    await close()
  })
})
