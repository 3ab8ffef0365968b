import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { until } from '../support/admin-gateway.ts'
import { rawTarget } from '../support/raw-target.ts'
import { BOTH_ERAS } from '../support/start-gateway.ts'
import { describeConsole } from './support/console-suite.ts'
import type { OpenConsole } from './support/open-console.ts'

const config = {
  mcpServers: {
    // One process for all callers, as its operator wanted it.
    raw: rawTarget({}, { isolation: 'shared' }),
    modern: BOTH_ERAS.mcpServers.new,
    off: { command: process.execPath, disabled: true },
  },
}

/** Elements with text that sticks out of its box. */
const sticksOut = (page: Page, selector: string) =>
  page
    .locator(selector)
    .evaluateAll((elements) =>
      elements
        .filter((element) => element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0)
        .map((element) => element.textContent),
    )

describeConsole('causes on their pages', { config, entries: 10 }, (suite) => {
  let opened: OpenConsole
  let page: Page
  beforeAll(async () => {
    opened = await suite.open()
    page = opened.page
  })
  afterAll(() => opened?.close())

  it('says what to do about a question that could be of two calls, on every page about it', async () => {
    const start = (name: string) =>
      suite.gateway.api.call('startCall', {
        body: {
          method: 'tools/call',
          params: { name },
          client: { era: 'modern', capabilities: { elicitation: { form: true } } },
        },
      })
    const { api } = suite.gateway
    await start('raw_hang')
    await until(async () => (await api.call('overview', {})).inFlight > 0, 'The first call')
    await start('raw_ask')
    await until(
      async () => (await api.call('wire', { query: { filter: 'status:refused' } })).records.length > 0,
      'The refusal',
    )
    await opened.go('/wire?filter=status:refused')
    await page.getByRole('grid', { name: 'Exchanges' }).locator('tbody tr').first().click()
    await page
      .getByRole('alert')
      .getByText(/calls are in flight.*"isolation": "session"/)
      .waitFor()
    await opened.go('/targets/raw')
    await page
      .getByRole('list', { name: 'Last errors' })
      .getByText(/"isolation": "session"/)
      .first()
      .waitFor()
    await opened.go('/why?name=raw_ask')
    await page
      .getByLabel('Chain of causes')
      .getByText(/"isolation": "session"/)
      .first()
      .waitFor()
  })

  it('shows a target that is switched off as that, and as no failure', async () => {
    await opened.go('/')
    await page.getByRole('heading', { name: /1 switched off/ }).waitFor()
    const card = page.getByRole('article', { name: 'off' })
    await card.getByText('disabled', { exact: true }).waitFor()
    const colour = (element: Element) => getComputedStyle(element).backgroundColor
    const dot = await card.getByRole('img', { name: 'disabled' }).evaluate(colour)
    await opened.go('/targets/off')
    await page.getByText('disabled', { exact: true }).first().waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    expect(await page.getByText(/was not started yet|never started/).count()).toBe(0)
    expect(dot).not.toBe(
      await page.evaluate(() => {
        const probe = document.body.appendChild(document.createElement('i'))
        probe.style.backgroundColor = 'var(--bad)'
        return getComputedStyle(probe).backgroundColor
      }),
    )
  })

  it.each([1440, 390])('has figures that fit into their cards at %i pixels', async (width) => {
    await page.setViewportSize({ width, height: 900 })
    await page.route(/\/api\/overview$/, async (route) => {
      const response = await route.fetch()
      const overview = await response.json()
      for (const card of overview.targets) {
        card.counts = { ...card.counts, tools: 12_345, tokens: 98_765_432 }
        card.stats = { ...card.stats, p50: 123_456_789, p95: 987_654_321, errorRate: 0.999 }
        card.usage = { rss: 123_456_789_012, processes: 12 }
      }
      await route.fulfill({ response, json: overview })
    })
    await opened.go('/')
    await page.getByText('98,765,432').first().waitFor()
    expect(await sticksOut(page, 'article dl div, article dd')).toEqual([])
    await page.unroute(/\/api\/overview$/)
  })
})
