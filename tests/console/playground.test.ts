import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { beforeAll, expect, it } from 'vitest'
import { until } from '../support/admin-gateway.ts'
import { BOTH_ERAS } from '../support/start-gateway.ts'
import { describeConsole } from './support/console-suite.ts'
import { axe, type OpenConsole } from './support/open-console.ts'

describeConsole('the playground', { config: BOTH_ERAS, entries: 16 }, (suite) => {
  let opened: OpenConsole

  beforeAll(async () => {
    opened = await suite.open()
  })

  for (const client of ['modern', 'legacy']) {
    for (const target of ['old', 'new']) {
      it(`answers elicitation of a tool of the ${target} server as a ${client} client`, async () => {
        const { page, go } = opened
        await go(`/playground?kind=tool&name=${target}_greet`)
        await page.getByLabel('Era').selectOption(client)
        await page.getByRole('button', { name: 'Call', exact: true }).click()
        const question = page.getByLabel('Question from the server')
        await question.getByText('What is your name?').waitFor()
        expect(await axe(page)).toEqual([])
        expect(await question.getByRole('button', { name: 'Accept' }).isDisabled()).toBe(true)
        await question.getByLabel('name').fill(`Ada "${client}" \\n`)
        await question.getByRole('button', { name: 'Accept' }).click()
        await page.getByRole('tabpanel').getByText(`Hello, Ada "${client}" \\n!`).waitFor()
        await page
          .getByText(client === 'modern' ? 'modern 2026-07-28' : 'legacy 2025-11-25')
          .first()
          .waitFor()
        await page.getByText('1 question was answered').waitFor()
      })
    }
  }

  it('answers sampling, and roots without a question', async () => {
    const { page, go } = opened
    await go('/playground?kind=tool&name=new_capital')
    await page.getByText('Capabilities and limits').click()
    await page.getByLabel('Roots').fill('file:///somewhere')
    await page.getByRole('button', { name: 'Call', exact: true }).click()
    const question = page.getByLabel('Question from the server')
    await question.getByText('Capital of France?').waitFor()
    await question.getByLabel('Answer').fill('Paris')
    await question.getByRole('button', { name: 'Answer' }).click()
    await page.getByRole('tabpanel').getByText('Paris file:///somewhere').waitFor()
  })

  it('declines a question, cancels a call, and opens both again from the history', async () => {
    const { page, go } = opened
    await go('/playground?kind=tool&name=old_greet')
    await page.getByRole('button', { name: 'Call', exact: true }).click()
    await page.getByRole('button', { name: 'Decline' }).click()
    await page
      .getByText(/failed|declined/i)
      .first()
      .waitFor()
    await go('/playground?kind=tool&name=new_wait')
    await page.getByRole('button', { name: 'Call', exact: true }).click()
    await page.getByText('Waiting for the answer').waitFor()
    await page.getByRole('button', { name: 'Cancel', exact: true }).click()
    await page.getByText(/^Cancelled after/).waitFor()
    await page
      .getByRole('list', { name: 'History' })
      .getByRole('button', { name: /old_greet/ })
      .first()
      .click()
    await page.getByRole('button', { name: 'Choose something else' }).waitFor()
    expect(page.url()).toContain('name=old_greet')
  })

  it('copies a call as curl that works', async () => {
    const { page, go } = opened
    await go('/playground?kind=tool&name=new_touch')
    await page.getByLabel('Era').selectOption('modern')
    await page.getByRole('button', { name: 'Copy as' }).click()
    await page.getByRole('menuitem', { name: 'curl' }).click()
    await page.getByText('Copied as curl').waitFor()
    const command = await page.evaluate(() => navigator.clipboard.readText())
    expect(command).toContain(suite.gateway.url)
    const { stdout } = await promisify(execFile)('sh', ['-c', command], { timeout: 15_000 })
    expect(stdout).toContain('touched')
  })

  it('subscribes to a resource and shows its updates', async () => {
    const { page, go } = opened
    const { entries } = await suite.gateway.api.call('catalog', { query: {} })
    const { key } = entries.find(
      ({ kind, own, target }) => kind === 'resource' && own === 'test://thing' && target === 'new',
    )!
    await go(`/playground?kind=resource&name=${encodeURIComponent(key)}`)
    await page.getByRole('button', { name: 'Subscribe' }).click()
    await page.getByText('Waiting for the answer').waitFor()
    await until(async () => {
      const { id } = await suite.gateway.api.call('startCall', {
        body: {
          method: 'tools/call',
          params: { name: 'new_touch' },
          client: { era: 'modern', capabilities: {} },
        },
      })
      await until(
        async () => (await suite.gateway.api.call('playgroundCall', { params: { id } })).status === 'ok',
      )
      return page.getByText('notifications/resources/updated').first().isVisible()
    }, 'The update')
    await page.getByRole('button', { name: 'Cancel', exact: true }).click()
  })
})
