import { fileURLToPath } from 'node:url'
import { beforeAll, expect, it } from 'vitest'
import { until } from '../support/admin-gateway.ts'
import { describeConsole } from './support/console-suite.ts'
import { axe, type OpenConsole } from './support/open-console.ts'

const STUDIO = fileURLToPath(new URL('../fixtures/studio-server.mjs', import.meta.url))
const studio = (revisions: string) => ({
  command: process.execPath,
  args: [STUDIO],
  env: { REVISIONS: revisions },
})

const config = { mcpServers: { old: studio('2025-11-25'), new: studio('2026-07-28') } }

describeConsole('the playground with a studio of each era', { config, entries: 14 }, (suite) => {
  let opened: OpenConsole

  beforeAll(async () => {
    opened = await suite.open()
  })

  const choose = async (name: string, client = 'modern') => {
    await opened.go(`/playground?kind=tool&name=${name}`)
    await opened.page.getByLabel('Era').selectOption(client)
  }
  const callTool = () => opened.page.getByRole('button', { name: 'Call', exact: true }).click()

  for (const client of ['modern', 'legacy']) {
    for (const target of ['old', 'new']) {
      it(`shows the page that a tool of the ${target} server wants opened, to a ${client} client`, async () => {
        const { page } = opened
        await choose(`${target}_login`, client)
        await callTool()
        const question = page.getByLabel('Question from the server')
        await question.getByText('Sign in to the studio').waitFor()
        const link = question.getByRole('link', { name: 'https://studio.example/login?state=7' })
        expect(await link.getAttribute('href')).toBe('https://studio.example/login?state=7')
        expect(await link.getAttribute('rel')).toContain('noopener')
        expect(await question.getByText('studio.example', { exact: true }).count()).toBe(1)
        expect(await axe(page)).toEqual([])
        const [form] = await Promise.all([
          page.context().waitForEvent('page'),
          question.getByRole('button', { name: 'Open the page' }).click(),
        ])
        // It would keep this page in the background, where browsers slow it down.
        await form.close()
        await page.getByRole('tabpanel').getByText('You have been there').waitFor()
      })
    }
  }

  it('declines a page, and makes no link of what no browser should open', async () => {
    const { page } = opened
    await choose('new_login')
    await callTool()
    await page.getByLabel('Question from the server').getByRole('button', { name: 'Decline' }).click()
    await page
      .getByText(/declined/i)
      .first()
      .waitFor()
    await choose('new_trap')
    await callTool()
    const question = page.getByLabel('Question from the server')
    await question.getByText('This address cannot be opened safely').waitFor()
    expect(await question.getByRole('link').count()).toBe(0)
    expect(await question.getByRole('button', { name: 'Open the page' }).count()).toBe(0)
    await question.getByRole('button', { name: 'Dismiss' }).click()
    await page.getByRole('tabpanel').waitFor()
  })

  it('follows a task, answers what it asks, and shows its result', async () => {
    const { page } = opened
    await choose('new_render')
    await page.getByText('Capabilities and limits').click()
    await page.getByLabel('Tasks').check()
    await callTool()
    const task = page.getByRole('region', { name: 'Task' })
    await task.getByText(/working|input required/).waitFor()
    const question = page.getByLabel('Question from the server')
    await question.getByText('What shall it be called?').waitFor()
    expect(await axe(page)).toEqual([])
    await question.getByLabel('name').fill('Dawn')
    await question.getByRole('button', { name: 'Accept' }).click()
    await page.getByRole('tabpanel').getByText('Dawn is rendered').waitFor()
    await page.getByText('1 question was answered').waitFor()
  })

  it('cancels a task with its call', async () => {
    const { page } = opened
    await choose('new_endless')
    await callTool()
    const task = page.getByRole('region', { name: 'Task' })
    await task.getByText('working').first().waitFor()
    await task.getByRole('link').click()
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('tabpanel').getByText('working').first().waitFor()
    await page.goBack()
    await page
      .getByRole('list', { name: 'History' })
      .getByRole('button', { name: /new_endless/ })
      .click()
    await page.getByRole('button', { name: 'Cancel', exact: true }).click()
    await page.getByText(/^Cancelled after/).waitFor()
    await until(async () => {
      const { records } = await suite.gateway.api.call('wire', { query: { filter: 'method:tasks/cancel' } })
      return records.some(({ status }) => status === 'ok')
    }, 'The cancellation of the task')
    await page.getByText('Capabilities and limits').click()
    await page.getByLabel('Tasks').uncheck()
  })

  it('offers the alternatives of a schema that is one choice at its root', async () => {
    const { page } = opened
    await choose('new_find')
    await page.getByLabel('id').fill('7')
    await callTool()
    await page.getByRole('tabpanel').getByText('7').first().waitFor()
    await page.getByLabel('One of').selectOption({ label: 'By words' })
    await page.getByLabel('words').fill('a "quoted" \\ word')
    expect(await axe(page)).toEqual([])
    await callTool()
    await page.getByRole('tabpanel').getByText('quoted').first().waitFor()
    const [last] = (await suite.gateway.api.call('playgroundCalls', {})).calls
    expect(last!.params.arguments).toEqual({ words: 'a "quoted" \\ word', exact: true })
    const form = page.getByRole('group', { name: 'Arguments: form or JSON' })
    await form.getByRole('button', { name: 'JSON' }).click()
    await form.getByRole('button', { name: 'Form' }).click()
    expect(await page.getByLabel('words').inputValue()).toBe('a "quoted" \\ word')
  })

  it('shows results as what they are', async () => {
    const { page } = opened
    await choose('new_gallery')
    await callTool()
    const result = page.getByRole('tabpanel')
    await page.getByLabel('Shown as').first().selectOption('markdown')
    await result.getByRole('heading', { name: 'A heading' }).waitFor()
    await result.getByRole('columnheader', { name: 'people' }).waitFor()
    await result.getByRole('cell', { name: 'Bergen' }).waitFor()
    expect(
      await result
        .getByRole('img')
        .first()
        .evaluate((image: HTMLImageElement) => image.naturalWidth),
    ).toBe(1)
    expect(await result.locator('audio').count()).toBe(1)
    expect(await axe(page)).toEqual([])
    await result.getByRole('link', { name: /Scene seven/ }).click()
    await page.getByRole('button', { name: 'Read', exact: true }).click()
    await page.getByRole('tabpanel').getByText('a scene').waitFor()
    expect(opened.complaints).toEqual([])
  })
})
