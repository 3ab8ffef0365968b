import { fileURLToPath } from 'node:url'
import type { FrameLocator, Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { ASKING_SERVER } from '../support/start-gateway.ts'
import { describeConsole } from './support/console-suite.ts'
import { axe, expectNoOverflow, type OpenConsole } from './support/open-console.ts'

const FORMS = fileURLToPath(new URL('../fixtures/forms-server.mjs', import.meta.url))
const config = {
  mcpServers: {
    forms: { command: process.execPath, args: [FORMS] },
    greeter: { command: process.execPath, args: [ASKING_SERVER], env: { REVISIONS: '2026-07-28' } },
  },
}

describeConsole('forms and views of the playground', { config, entries: 12 }, (suite) => {
  let opened: OpenConsole
  let page: Page
  beforeAll(async () => {
    opened = await suite.open({ reducedMotion: 'reduce', viewport: { width: 1280, height: 700 } })
    page = opened.page
  })

  const choose = async (name: string) => {
    await opened.go(`/playground?kind=tool&name=${name}`)
    await page.getByRole('button', { name: 'Call', exact: true }).waitFor()
  }
  const callTool = () => page.getByRole('button', { name: 'Call', exact: true }).click()

  it('fills maps and unions in by form, with their limits in sight, and keeps Call in reach', async () => {
    await choose('forms_tag')
    await page.getByText('above 0, a multiple of 0.5').waitFor()
    await page.getByText('1 to 3 items, each once').waitFor()
    await page.getByText('at least 1 member').waitFor()
    await page
      .getByRole('list', { name: 'What the schema says' })
      .getByText(/labels needs 1 member/)
      .waitFor()
    await page.getByRole('button', { name: 'Add a member to labels' }).click()
    await page.getByLabel('Key 1 of labels').fill('colour')
    await page.getByLabel('colour', { exact: true }).fill('blue and more')
    await page.getByText('has over 10 characters').first().waitFor()
    await page.getByLabel('colour', { exact: true }).fill('blue')
    await page.getByRole('button', { name: 'Add a member to labels' }).click()
    await page.getByLabel('Key 2 of labels').fill('colour')
    await page.getByText('Another member has this key.').waitFor()
    await page.getByLabel('Key 2 of labels').fill('shape')
    await page.getByLabel('shape', { exact: true }).fill('round')
    await page.getByRole('combobox', { name: 'size' }).selectOption({ label: 'string' })
    await page.getByRole('textbox', { name: 'size' }).fill('large')
    for (let count = 0; count < 3; count += 1) {
      await page.getByRole('button', { name: 'Add parts' }).click()
      await page.getByLabel(`parts ${count + 1}`, { exact: true }).fill(`part ${count}`)
    }
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
    expect(await axe(page)).toEqual([])
    await page.evaluate(() => scrollTo(0, 0))
    const button = page.getByRole('button', { name: 'Call', exact: true })
    const bottom = await button.evaluate((element) => element.getBoundingClientRect().bottom)
    expect(bottom).toBeLessThanOrEqual(700)
    await button.click()
    await page.getByRole('tabpanel').getByText('large').first().waitFor()
    const { calls } = await suite.gateway.api.call('playgroundCalls', {})
    expect(calls[0]!.params.arguments).toEqual({
      labels: { colour: 'blue', shape: 'round' },
      size: 'large',
      parts: ['part 0', 'part 1', 'part 2'],
    })
  })

  it('saves a request under a name, and makes it again after a reload', async () => {
    await choose('forms_choose')
    await page.getByLabel('One of').selectOption({ label: 'By words' })
    await page.getByLabel('words').fill('old maps')
    await page.getByRole('button', { name: 'Save…' }).click()
    await page.getByLabel('Name of the request').fill('Maps')
    await page.keyboard.press('Enter')
    await opened.go('/playground')
    await page.getByRole('list', { name: 'Saved requests' }).getByRole('button', { name: /^Maps/ }).click()
    expect(await page.getByLabel('words').inputValue()).toBe('old maps')
    await callTool()
    await page.getByRole('tabpanel').getByText('old maps').first().waitFor()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download', exact: true }).click()
    expect((await download).suggestedFilename()).toBe('result.json')
    await page.getByRole('button', { name: 'Copy result' }).click()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('old maps')
    await page.getByRole('button', { name: 'Forget Maps' }).click()
    await page.getByRole('list', { name: 'Saved requests' }).waitFor({ state: 'detached' })
  })

  it('names the server that asks', async () => {
    await choose('greeter_greet')
    await callTool()
    const question = page.getByLabel('Question from the server')
    await question.getByRole('heading', { name: '“greeter” asks: What is your name?' }).waitFor()
    await question.getByRole('button', { name: 'Dismiss' }).click()
    await question.waitFor({ state: 'detached' })
  })

  it('shows a view without an origin, which reaches nothing and calls only what the operator allows', async () => {
    await choose('forms_board')
    await page.getByLabel('topic').fill('birds')
    await callTool()
    expect(await page.locator('iframe').count()).toBe(0)
    await page.getByRole('button', { name: 'Show the app' }).click()
    const view: FrameLocator = page.frameLocator('iframe[title="App of forms"]')
    for (const line of [
      'parent: refused',
      'storage: refused',
      'cookie: refused',
      'origin: null',
      'api: refused',
      'host: gantry-console',
      'input: {"topic":"birds"}',
      'result: A board about birds',
      'wipe: The tool "wipe" is not for views',
      'list: The console has no method resources/list',
    ])
      await view.getByText(line, { exact: true }).waitFor()
    expect(await page.locator('iframe').getAttribute('sandbox')).toBe('allow-scripts')
    const wish = page.getByRole('region', { name: 'The app asks' })
    await wish.getByText('forms_tag').waitFor()
    expect(await view.getByText(/^call:/).count()).toBe(0)
    expect(await axe(page)).toEqual([])
    await wish.getByRole('button', { name: 'Allow' }).click()
    await view.getByText('call: {"labels":{"a":"b"}}').waitFor()
    await expectNoOverflow(page)
  })

  it('tells a view that the operator refused', async () => {
    await choose('forms_board')
    await callTool()
    await page.getByRole('button', { name: 'Show the app' }).click()
    await page.getByRole('region', { name: 'The app asks' }).getByRole('button', { name: 'Refuse' }).click()
    await page.frameLocator('iframe').getByText('call: The operator refused it').waitFor()
  })
})
