import { fileURLToPath } from 'node:url'
import type { Locator, Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { describeConsole } from './support/console-suite.ts'
import type { OpenConsole } from './support/open-console.ts'

const SERVER = fileURLToPath(new URL('../fixtures/exact-server.mjs', import.meta.url))
const config = {
  mcpServers: { exact: { command: process.execPath, args: [SERVER, 'modern'] } },
}
/** As the server writes them. */
const SENT = ['n: 9007199254740993', 'f: 1.0', 'e: 1E400', 'z: -0', 'd: 0.10']
const ID = '9007199254740993'

describeConsole('numbers that no double holds', { config, entries: 6 }, (suite) => {
  let opened: OpenConsole
  let page: Page
  beforeAll(async () => {
    opened = await suite.open()
    page = opened.page
  })

  const expectSent = (box: Locator) =>
    Promise.all(SENT.map((one) => box.getByText(one, { exact: true }).first().waitFor()))

  it('are sent as they were typed, and shown as they came', async () => {
    await opened.go('/playground?kind=tool&name=exact_echo')
    await page.getByLabel('n', { exact: true }).fill(ID)
    await page.reload()
    await expect.poll(() => page.getByLabel('n', { exact: true }).inputValue()).toBe(ID)
    await page.getByRole('button', { name: 'Call', exact: true }).click()
    await page.getByRole('heading', { name: 'Structured content' }).waitFor()
    await expectSent(page.getByRole('tabpanel', { name: 'Result' }))
    // The server repeats what reached it.
    await page.getByLabel('Shown as').selectOption('text')
    const told = await page.getByLabel('Text', { exact: true }).textContent()
    expect(told).toContain(`"arguments":{"n":${ID}}`)
    await page.getByRole('tab', { name: 'JSON' }).click()
    await expectSent(page.getByRole('tabpanel', { name: 'JSON' }))
    await page.getByRole('button', { name: 'Copy result' }).click()
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    expect(copied).toContain(`"n": ${ID},\n    "f": 1.0,\n    "e": 1E400`)
  })

  it('stay what they are on the wire, in its files, and when a request is edited and sent again', async () => {
    await page
      .getByRole('link', { name: /^on the wire/ })
      .last()
      .click()
    const exchange = page.getByRole('region', { name: /^Exchange/ })
    await exchange.getByText('structuredContent:').first().waitFor()
    await expectSent(exchange)
    expect(await exchange.getByText(SENT[0]!, { exact: true }).count()).toBeGreaterThan(2)
    const [har] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export HAR' }).click(),
    ])
    await page.getByRole('button', { name: 'Edit and replay' }).click()
    const parameters = page.getByRole('dialog').getByRole('textbox', { name: 'Parameters as JSON' })
    expect(await parameters.inputValue()).toContain(`"n": ${ID}`)
    await page.getByRole('dialog').getByRole('button', { name: 'Send' }).click()
    await page.getByRole('heading', { level: 1, name: 'Playground' }).waitFor()
    await expect.poll(() => page.getByLabel('n', { exact: true }).inputValue()).toBe(ID)
    await opened.go('/wire')
    await page.locator('input[type=file]').setInputFiles((await har.path())!)
    await page
      .getByRole('grid', { name: 'Exchanges' })
      .getByRole('row', { name: /exact_echo/ })
      .first()
      .click()
    await expectSent(exchange)
  })

  it('are limits and defaults of forms', async () => {
    await opened.go('/playground?kind=tool&name=exact_ask')
    expect(await page.getByLabel('n', { exact: true }).inputValue()).toBe('1.0')
    await page.getByText('at most 9223372036854775807, default 1.0').waitFor()
    await page.getByRole('button', { name: 'Call', exact: true }).click()
    const question = page.getByLabel('Question from the server')
    await question.getByLabel('n', { exact: true }).fill('9223372036854775999999')
    await question.getByText('is above 9223372036854775807').first().waitFor()
    await question.getByLabel('n', { exact: true }).fill(ID)
    await question.getByRole('button', { name: 'Accept' }).click()
    await page.getByLabel('Shown as').selectOption('text')
    await expect
      .poll(() => page.getByLabel('Text', { exact: true }).textContent())
      .toContain(`"content":{"n":${ID}}`)
    await opened.go('/catalog?entry=exact_echo&entryKind=tool')
    await page.getByText('Definition as clients get it').click()
    await page
      .getByText(/"maximum": 9223372036854775807/)
      .first()
      .waitFor()
    expect(opened.complaints).toEqual([])
  })
})
