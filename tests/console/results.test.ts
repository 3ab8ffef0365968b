import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeConsole } from './support/console-suite.ts'
import { measured } from './support/measured.ts'
import { axe, type OpenConsole } from './support/open-console.ts'

const FIXTURE = fileURLToPath(new URL('../fixtures/texts-server.mjs', import.meta.url))

/** Where the server sends its user. It says that the form was filled in when `finish` is called. */
let finish: () => void
const finished = new Promise<void>((resolve) => {
  finish = resolve
})
const visits: string[] = []
const site: Server = createServer(async (request, response) => {
  visits.push(request.url ?? '')
  if (request.url === '/finished') await finished
  response.end('A form')
})
site.listen(0, '127.0.0.1')
await once(site, 'listening')
const PAGE = `http://127.0.0.1:${(site.address() as AddressInfo).port}`

const config = {
  mcpServers: { texts: { command: process.execPath, args: [FIXTURE], env: { PAGE } } },
}

describeConsole('results and questions that are hard to show', { config, entries: 7 }, (suite) => {
  let opened: OpenConsole

  beforeAll(async () => {
    opened = await suite.open()
  })
  afterAll(() => {
    site.closeAllConnections()
    site.close()
  })

  const callTool = async (name: string) => {
    await opened.go(`/playground?kind=tool&name=texts_${name}`)
    await opened.page.getByRole('button', { name: 'Call', exact: true }).click()
  }

  it('shows text as it was written, and Markdown when one asks for it', async () => {
    const { page } = opened
    await callTool('code')
    const shown = page.getByLabel('Text', { exact: true })
    await shown.getByText('__init__').waitFor()
    expect(await shown.textContent()).toBe(
      ['class A:', '    def __init__(self):', '        self.names = ["*a*", "_b_"]', '', '# done'].join('\n'),
    )
    const looks = () =>
      shown.locator('pre').evaluate((pre) => {
        const { fontFamily, whiteSpace } = getComputedStyle(pre.firstElementChild!)
        return [/monospace/.test(fontFamily), whiteSpace]
      })
    expect(await looks()).toEqual([true, 'pre-wrap'])
    await page.getByLabel('Wrap lines').uncheck()
    expect(await looks()).toEqual([true, 'pre'])
    expect(await page.getByText('running', { exact: true }).count()).toBe(0)
    await callTool('notes')
    await shown.getByText('# Title').waitFor()
    await page.getByLabel('Shown as').selectOption('markdown')
    await page.getByRole('heading', { name: 'Title' }).waitFor()
    expect(await axe(page)).toEqual([])
  })

  it.each([
    ['a single line', '{}'],
    ['many lines', '{"lines":true}'],
    ['JSON', '{"json":true}'],
  ])('stays quick with a megabyte of text: %s', async (_, args) => {
    const { page, go } = opened
    await go('/playground?kind=tool&name=texts_long')
    await page.getByRole('button', { name: 'JSON', exact: true }).first().click()
    await page.getByRole('textbox', { name: 'Arguments as JSON' }).fill(args)
    const spent = await measured(page, async () => {
      await page.getByRole('button', { name: 'Call', exact: true }).click()
      await page.getByRole('tabpanel').getByText('All work and no play').first().waitFor()
      await page.getByRole('tab', { name: 'Text' }).click()
      await page.getByText(/are shown\./).waitFor()
    })
    // It was a minute.
    expect(spent).toBeLessThan(5_000)
    const size = await page.getByRole('tabpanel').evaluate((panel) => panel.textContent!.length)
    expect(size).toBeLessThan(150_000)
    await page.getByRole('button', { name: 'Show more' }).click()
    await expect
      .poll(() => page.getByRole('tabpanel').evaluate((panel) => panel.textContent!.length))
      .toBeGreaterThan(150_000)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download', exact: true }).click(),
    ])
    expect(download.suggestedFilename()).toBe('result.json')
  })

  it('opens the page that a server asks for, and keeps its address while the call waits', async () => {
    const { page } = opened
    await callTool('page')
    const [form] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('button', { name: 'Open the page' }).click(),
    ])
    await form.waitForLoadState()
    expect(form.url()).toBe(`${PAGE}/form`)
    await form.close()
    await page
      .getByLabel('Page of the server')
      .getByRole('link', { name: `${PAGE}/form` })
      .waitFor()
    await expect.poll(() => visits).toContain('/finished')
    finish()
    await page.getByRole('tabpanel').getByText('signed').waitFor()
    expect(await page.getByLabel('Page of the server').count()).toBe(0)
  })

  it('says beside the field what is wrong, leads there, and sends it all the same', async () => {
    const { page, go } = opened
    await go('/playground?kind=tool&name=texts_order')
    await page.getByLabel('amount').fill('40')
    await page.getByLabel('mail').fill('nobody')
    await page.getByText('is above 10').first().waitFor()
    await page.getByText('1 to 10').waitFor()
    await page.getByLabel('What the schema says').getByRole('button', { name: 'items needs 2 items' }).click()
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain('Add items')
    expect(await axe(page)).toEqual([])
    await page.getByLabel('mail').press('Control+Enter')
    await page
      .getByText('tool failed')
      .or(page.getByText(/Code -32602/))
      .first()
      .waitFor()
  })

  it('keeps what was typed when the page is loaded again', async () => {
    const { page, go } = opened
    await go('/playground?kind=tool&name=texts_order')
    await page.getByLabel('mail').fill('ada@example.org')
    await page.reload()
    await expect.poll(() => page.getByLabel('mail').inputValue()).toBe('ada@example.org')

    await callTool('ask')
    const question = page.getByLabel('Question from the server')
    await question.getByLabel('name').fill('Ada')
    await page.reload()
    await expect.poll(() => question.getByLabel('name').inputValue()).toBe('Ada')
    await question.getByRole('button', { name: 'Decline' }).click()

    await go('/configuration')
    const editor = page.getByRole('textbox', { name: 'Configuration file' })
    await editor.click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type('\n')
    await page.getByText(/^Edited/).waitFor()
    await page.reload()
    await page.getByText(/^Edited/).waitFor()
    await page.getByRole('button', { name: 'Undo all' }).click()
    await page.getByText(/^As saved/).waitFor()
    await page.reload()
    await page.getByText(/^As saved/).waitFor()
  })

  it('lets one decline to answer for a model', async () => {
    const { page } = opened
    await callTool('think')
    const question = page.getByLabel('Question from the server')
    await question.getByText('What is 2 and 2?').waitFor()
    await question.getByRole('button', { name: 'Decline' }).click()
    await page
      .getByText(/rejected sampling/)
      .first()
      .waitFor()
  })
})
