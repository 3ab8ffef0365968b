import { writeFile } from 'node:fs/promises'
import { beforeAll, expect, it } from 'vitest'
import { ASKING_SERVER } from '../support/start-gateway.ts'
import { describeConsole } from './support/console-suite.ts'
import { axe, type OpenConsole } from './support/open-console.ts'

const CONFIG = `// Kept by hand
{
  "stateDir": "./state",
  "mcpServers": {
    "asking": { "command": ${JSON.stringify(process.execPath)}, "args": [${JSON.stringify(ASKING_SERVER)}], "env": { "API_TOKEN": "a-secret-value" } }
  }
}
`

describeConsole('the configuration in the console', { config: CONFIG }, (suite) => {
  let opened: OpenConsole

  beforeAll(async () => {
    opened = await suite.open()
  })

  const edit = async (change: (text: string) => string) => {
    const { text } = await suite.gateway.api.call('config', {})
    await opened.page.getByRole('textbox', { name: 'Configuration file' }).click()
    await opened.page.keyboard.press('Control+a')
    await opened.page.keyboard.insertText(change(text))
  }

  it('shows an error at its place, and does not let it be applied', async () => {
    const { page, go } = opened
    await go('/configuration')
    await edit((text) => text.replace('"args"', '"argz"'))
    const problems = page.getByRole('list', { name: 'Problems' })
    await problems.getByText(/argz/).first().waitFor()
    await problems.getByRole('button', { name: 'Line 5' }).first().click()
    await page.locator('[data-problem=error] [data-marked]').first().waitFor()
    expect(await page.getByRole('button', { name: 'Review and apply…' }).isDisabled()).toBe(true)
    expect(await axe(page)).toEqual([])
    expect(await suite.gateway.readConfig()).toBe(CONFIG)
  })

  it('shows what an edit would do, applies it, and keeps comments and secrets', async () => {
    const { page, go } = opened
    await go('/configuration')
    expect(await page.getByText('a-secret-value').count()).toBe(0)
    await edit((text) => text.replace('"API_TOKEN"', '"EXTRA": "Asks a lot", "API_TOKEN"'))
    await page.getByRole('button', { name: 'Review and apply…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText(/Changes asking/).waitFor()
    await dialog.getByText('Asks a lot').first().waitFor()
    expect(await axe(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Save and apply' }).click()
    await page.getByText('The configuration was saved and applied.').first().waitFor()
    expect(await suite.gateway.readConfig()).toBe(
      CONFIG.replace('"API_TOKEN"', '"EXTRA": "Asks a lot", "API_TOKEN"'),
    )
  })

  it('lists the change among the events, and goes back to the file before it from there', async () => {
    const { page, go } = opened
    await go('/events')
    await page.getByLabel('Events', { exact: true }).first().selectOption('config')
    const table = page.getByRole('table', { name: 'Events' })
    await table
      .getByText(/The new configuration is in use/)
      .first()
      .waitFor()
    expect(await axe(page)).toEqual([])
    await page.getByRole('button', { name: 'History…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Files that were in use' })
    const versions = dialog.getByRole('list', { name: 'Versions' }).getByRole('button')
    await versions.filter({ hasText: 'saved by console' }).filter({ hasText: 'in use' }).waitFor()
    await dialog.getByText('EXTRA').first().waitFor()
    expect(await axe(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Go back to this one' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await suite.gateway.readConfig()).toBe(CONFIG)
  })

  it('goes back to any version that was in use, with a look at each', async () => {
    const { page, go } = opened
    await go('/configuration')
    for (const word of ['"ONE"', '"TWO"']) {
      await edit((text) => text.replace('"API_TOKEN"', `${word}: "x", "API_TOKEN"`))
      await page.getByRole('button', { name: 'Review and apply…' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Save and apply' }).click()
      await page.getByText(/^As saved/).waitFor()
    }
    await page.getByRole('button', { name: 'History…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Files that were in use' })
    const versions = dialog.getByRole('list', { name: 'Versions' }).getByRole('button')
    await expect.poll(() => versions.count()).toBe(5)
    await versions.nth(3).click()
    const difference = dialog.getByRole('table', { name: 'Difference to the file' })
    await difference.getByText('EXTRA').first().waitFor()
    await difference.getByText('"ONE"').first().waitFor()
    await versions.nth(2).click()
    await difference.getByText('EXTRA').first().waitFor({ state: 'detached' })
    await dialog.getByRole('button', { name: 'Go back to this one' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await suite.gateway.readConfig()).toBe(CONFIG)
  })

  it('keeps what is typed right after a change was saved, before the file is loaded again', async () => {
    const { page, go } = opened
    await go('/configuration')
    const before = await suite.gateway.readConfig()
    let load = (): void => {}
    const isTyped = new Promise<void>((resolve) => {
      load = resolve
    })
    await edit((text) => text.replace('"API_TOKEN"', '"ONE": "x", "API_TOKEN"'))
    await page.getByRole('button', { name: 'Review and apply…' }).click()
    await page.route('**/api/config', async (request) => {
      if (request.request().method() === 'GET') await isTyped
      // The page may have cancelled it meanwhile.
      await request.continue().catch(() => {})
    })
    await page.getByRole('dialog').getByRole('button', { name: 'Save and apply' }).click()
    await page.getByText(/^As saved/).waitFor()
    await edit(() => before)
    await page.getByText(/^Edited/).waitFor()
    load()
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.getByRole('button', { name: 'Review and apply…' }).click()
    expect(await page.getByText('The file was changed elsewhere').count()).toBe(0)
    await page.getByRole('dialog').getByRole('button', { name: 'Save and apply' }).click()
    await page.getByText(/^As saved/).waitFor()
    expect(await suite.gateway.readConfig()).toBe(before)
  })

  it('completes keys from the schema', async () => {
    const { page, go } = opened
    await go('/configuration')
    await page.getByRole('textbox', { name: 'Configuration file' }).click()
    await page.keyboard.press('Control+Home')
    for (let line = 0; line < 3; line += 1) await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Home')
    await page.keyboard.type('"te')
    await page.getByRole('option', { name: /telemetry/ }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Undo all' }).click()
    await page.getByText(/^As saved/).waitFor()
  })

  it('says on every page that the file cannot be used', async () => {
    const { page, go } = opened
    await go('/')
    await writeFile(suite.gateway.file, '{ "mcpServers": { "asking": 3 } }')
    await page.getByText('The configuration file has an error; the last good one is in use').waitFor()
    await page.getByRole('link', { name: 'Show it' }).click()
    await page.getByRole('list', { name: 'Problems' }).waitFor()
    await writeFile(suite.gateway.file, CONFIG)
    await page.getByText('the last good one is in use').waitFor({ state: 'detached' })
  })
})
