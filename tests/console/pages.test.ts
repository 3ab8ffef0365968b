import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { describeConsole } from './support/console-suite.ts'
import { axe, cutWords, expectNoOverflow } from './support/open-console.ts'
import { config, ENTRIES, PAGES } from './support/pages.ts'

/** The paths of the console's router, as it has them. */
const ROUTER = readFileSync(new URL('../../packages/console/src/app/router.tsx', import.meta.url), 'utf8')
const ROUTES = [...ROUTER.matchAll(/ path: '([^']+)'/g)].map(([, path]) => path!)

describeConsole('every page of the console', { config, entries: ENTRIES }, (suite) => {
  it('is in the list of these tests', () => {
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
