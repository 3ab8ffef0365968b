import type { Locator, Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { BOTH_ERAS } from '../support/start-gateway.ts'
import { describeConsole } from './support/console-suite.ts'
import { axe, type OpenConsole } from './support/open-console.ts'

const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent ?? '')

describeConsole('the console by keyboard', { config: BOTH_ERAS, entries: 16 }, (suite) => {
  let opened: OpenConsole
  let page: Page
  beforeAll(async () => {
    opened = await suite.open()
    page = opened.page
  })

  const tabStops = (list: Locator) => list.locator('button[tabindex="0"]').count()

  it('has one tab stop for a list, and arrows that move the focus', async () => {
    await opened.go('/catalog')
    const list = page.getByRole('list', { name: 'Entries' })
    await list.getByRole('button').first().waitFor()
    expect(await tabStops(list)).toBe(1)
    await list.locator('button[tabindex="0"]').focus()
    const first = await focused(page)
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => focused(page)).not.toBe(first)
    const second = await focused(page)
    await page.keyboard.press('End')
    await expect.poll(() => focused(page)).not.toBe(second)
    await page.keyboard.press('Home')
    await expect.poll(() => focused(page)).toBe(first)
    expect(await tabStops(list)).toBe(1)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Close' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Close' }).waitFor({ state: 'detached' })
  })

  it('moves the focus with the selection of exchanges', async () => {
    for (const name of ['new_touch', 'old_touch']) {
      await suite.gateway.api.call('startCall', {
        body: { method: 'tools/call', params: { name }, client: { era: 'modern', capabilities: {} } },
      })
    }
    await opened.go('/wire')
    const rows = page.getByRole('grid', { name: 'Exchanges' }).locator('tbody tr')
    await rows.filter({ hasText: 'new_touch' }).waitFor()
    expect(await rows.and(page.locator('[tabindex="0"]')).count()).toBe(1)
    await rows.and(page.locator('[tabindex="0"]')).focus()
    await page.keyboard.press('ArrowDown')
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-selected')))
      .toBe('true')
    await page.keyboard.press('Escape')
    await expect.poll(() => page.url()).not.toContain('id=')
  })

  it('tells its keys, goes to pages, and puts the focus on what one went to', async () => {
    await opened.go('/')
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).getByText('go to Wire').waitFor()
    expect(await axe(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('g')
    await page.keyboard.press('c')
    await page.getByRole('heading', { level: 1, name: 'Catalog' }).waitFor()
    await expect.poll(() => focused(page)).toBe('Catalog')
  })

  it('says that a target was stopped, since when, and not as a failure', async () => {
    await suite.gateway.api.call('targetAction', { params: { name: 'old' }, body: { action: 'stop' } })
    await opened.go('/targets/old?tab=handshake')
    await page.getByText('It was stopped by hand.').waitFor()
    await page.getByText(/stopped (just now|\d+ (ms|s) ago)/).waitFor()
    await page.getByText('It does not run').waitFor()
    expect(await page.getByText('It was not started yet').count()).toBe(0)
    expect(await page.getByRole('alert').count()).toBe(0)
    const sign = page.getByRole('navigation', { name: 'Targets' }).getByRole('img', { name: 'stopped' })
    const [shown, bad] = await sign.evaluate((dot) => {
      const before = getComputedStyle(dot).backgroundColor
      dot.style.backgroundColor = 'var(--bad)'
      return [before, getComputedStyle(dot).backgroundColor]
    })
    expect(shown).not.toBe(bad)
    await suite.gateway.api.call('targetAction', { params: { name: 'old' }, body: { action: 'start' } })
  })

  it('takes a question away with the server that asked it', async () => {
    await opened.go('/playground?kind=tool&name=old_greet')
    await page.getByLabel('Era').selectOption('legacy')
    await page.getByRole('button', { name: 'Call', exact: true }).click()
    const question = page.getByLabel('Question from the server')
    await question.waitFor()
    await suite.gateway.api.call('targetAction', { params: { name: 'old' }, body: { action: 'stop' } })
    await question.waitFor({ state: 'detached' })
    await page.getByRole('alert').getByText(/old/).first().waitFor()
    await suite.gateway.api.call('targetAction', { params: { name: 'old' }, body: { action: 'start' } })
  })

  it('shows no state of targets while the gateway is down', async () => {
    await opened.go('/')
    await page.getByRole('img', { name: 'ready' }).first().waitFor()
    await suite.gateway.front.close(0)
    await page.getByText('The gateway does not answer', { exact: true }).waitFor()
    expect(await page.getByRole('img', { name: 'ready' }).count()).toBe(0)
    await page.getByRole('img', { name: 'unknown' }).first().waitFor()
  })
})
