import { expect, it } from 'vitest'
import { until } from '../support/admin-gateway.ts'
import { ASKING_SERVER } from '../support/start-gateway.ts'
import { describeConsole, type ConsoleSuite } from './support/console-suite.ts'
import { axe, type OpenConsole } from './support/open-console.ts'

const CONFIG = `# Kept by hand
stateDir: ./state # beside the file

mcpServers:
  # the one that asks
  asking:
    command: ${JSON.stringify(process.execPath)}
    args: # in order
      - ${JSON.stringify(ASKING_SERVER)}
    env:
      API_TOKEN: a-secret-value # never shown
`

const COMMENTS = CONFIG.match(/#.*$/gm)!

describeConsole('a configuration in YAML', { config: CONFIG, name: 'gantry.yaml', entries: 6 }, (suite) => {
  const edit = async ({ page }: OpenConsole, change: (text: string) => string) => {
    const { text } = await suite.gateway.api.call('config', {})
    await page.getByRole('textbox', { name: 'Configuration file' }).click()
    await page.keyboard.press('Control+a')
    await page.keyboard.insertText(change(text))
  }

  it('shows an error where it is, and applies what is right with all comments in place', async () => {
    const opened = await suite.open()
    const { page, go } = opened
    await go('/configuration')
    expect(await page.getByText('a-secret-value').count()).toBe(0)
    await edit(opened, (text) => text.replace('    args:', '    argz:'))
    const problems = page.getByRole('list', { name: 'Problems' })
    await problems.getByText(/argz/).first().waitFor()
    const line = CONFIG.split('\n').findIndex((text) => text.includes('args:')) + 1
    await problems
      .getByRole('button', { name: `Line ${line}` })
      .first()
      .click()
    await page.locator('[data-problem=error] [data-marked]').first().waitFor()
    expect(await axe(page)).toEqual([])
    expect(await page.getByRole('button', { name: 'Review and apply…' }).isDisabled()).toBe(true)

    await edit(opened, (text) => text.replace('    env:', '    env:\n      MOOD: good # today'))
    await page.getByRole('button', { name: 'Review and apply…' }).click()
    await page.getByRole('dialog').getByText('MOOD').first().waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Save and apply' }).click()
    await page.getByText('The configuration was saved and applied.').first().waitFor()
    expect(await suite.gateway.readConfig()).toBe(
      CONFIG.replace('    env:', '    env:\n      MOOD: good # today'),
    )
    await opened.close()
  })

  it('shows text that is no YAML where it breaks', async () => {
    const opened = await suite.open()
    const { page, go } = opened
    await go('/configuration')
    await edit(opened, (text) => text.replace('mcpServers:', 'mcpServers: ['))
    await page
      .getByRole('list', { name: 'Problems' })
      .getByRole('button', { name: /^Line \d+/ })
      .first()
      .waitFor()
    await page.locator('[data-problem=error] [data-marked]').first().waitFor()
    await opened.close()
  })

  it('completes keys', async () => {
    const { page, go, close } = await suite.open()
    await go('/configuration')
    await page.getByRole('textbox', { name: 'Configuration file' }).click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type('te')
    await page.getByRole('option', { name: /telemetry/ }).waitFor()
    await close()
  })

  it('gets targets added, edited, renamed and removed by other pages, and keeps its comments', async () => {
    const opened = await suite.open()
    await addTarget(opened, suite)
    const { page, go } = opened
    await go('/targets/second?tab=configuration')
    const editor = page.getByRole('textbox', { name: 'Configuration of second' })
    await editor.click()
    await page.keyboard.press('Control+a')
    const entry = { command: process.execPath, args: [ASKING_SERVER], env: { REVISIONS: '2025-11-25' } }
    await page.keyboard.insertText(JSON.stringify(entry))
    await page.getByLabel('Name').fill('third')
    await page.getByRole('button', { name: 'Save' }).click()
    await until(async () => (await suite.gateway.readConfig()).includes('  third:'), 'The new name')
    expectComments(await suite.gateway.readConfig())
    expect(await suite.gateway.readConfig()).toContain('2025-11-25')
    await go('/targets/third?tab=configuration')
    await page.getByRole('button', { name: 'Remove…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    const removed = await suite.gateway.readConfig()
    expect(removed).not.toContain('third')
    expectComments(removed)
    await opened.close()
  })
})

async function addTarget({ page, go }: OpenConsole, { gateway }: ConsoleSuite): Promise<void> {
  await go('/add-target')
  await page.getByLabel('Command, URL, snippet or description').fill(`${process.execPath} ${ASKING_SERVER}`)
  await page.getByRole('button', { name: 'Try it' }).click()
  await page.getByText('works', { exact: true }).waitFor()
  await page.getByLabel('Name').fill('second')
  await page.getByRole('button', { name: 'Add to the configuration' }).click()
  await page.getByRole('heading', { level: 1, name: /second/ }).waitFor()
  expect(await gateway.readConfig()).toContain('  second:')
  expectComments(await gateway.readConfig())
}

function expectComments(text: string): void {
  for (const comment of COMMENTS) expect(text).toContain(comment)
  // Still YAML, and not JSON in a file of that name.
  expect(text).toMatch(/^mcpServers:$/m)
}
