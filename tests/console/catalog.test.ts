import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { until } from '../support/admin-gateway.ts'
import { describeConsole } from './support/console-suite.ts'
import { axe, expectNoOverflow, type OpenConsole } from './support/open-console.ts'

const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url))

const CONFIG = `// Kept by hand
{
  "stateDir": "./state",
  "mcpServers": {
    // Odd on purpose
    "forms": { "command": ${JSON.stringify(process.execPath)}, "args": [${JSON.stringify(fixture('forms-server.mjs'))}] },
    "many": { "command": ${JSON.stringify(process.execPath)}, "args": [${JSON.stringify(fixture('many-tools-server.mjs'))}, "300"] },
    "crashing": { "command": ${JSON.stringify(process.execPath)}, "args": [${JSON.stringify(fixture('crash-server.mjs'))}] }
  }
}
`

describeConsole('the catalog in the console', { config: CONFIG, entries: 300 }, (suite) => {
  let opened: OpenConsole
  let page: Page
  beforeAll(async () => {
    opened = await suite.open({ reducedMotion: 'reduce' })
    page = opened.page
  })

  const openEntry = async (name: string) => {
    await opened.go(`/catalog?entry=${name}&entryKind=tool`)
    await page.getByRole('region', { name: 'How clients see it' }).waitFor()
  }
  const apply = async () => {
    const dialog = page.getByRole('dialog', { name: 'Apply these changes?' })
    await dialog.getByRole('table', { name: 'Difference to the file' }).waitFor()
    expect(await axe(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Save and apply' }).click()
    await dialog.waitFor({ state: 'detached' })
  }

  it('shows titles, annotations as badges, and how much clients refuse', async () => {
    await opened.go('/catalog?target=forms')
    const row = (name: string) => page.getByRole('list', { name: 'Entries' }).getByRole('button', { name })
    await row('forms_wipe').getByText('destructive').waitFor()
    await row('forms_wipe').getByText('Wipe a disk').waitFor()
    await row('forms_look').getByText('read-only').waitFor()
    await row('forms_look').getByText('idempotent').waitFor()
    await row('forms_look').getByText('open world').waitFor()
    await row('forms_choose')
      .getByText(/\d findings?/)
      .waitFor()
    await openEntry('forms_choose')
    const list = page.getByRole('list', { name: 'Portability' })
    await list.getByText('inputSchema.anyOf', { exact: true }).waitFor()
    await list.getByText('Claude').first().waitFor()
    expect(await axe(page)).toEqual([])
    await expectNoOverflow(page)
  })

  it('scrolls to the entry of a link, and marks it', async () => {
    const { entries } = await suite.gateway.api.call('catalog', { query: {} })
    const last = entries.filter(({ target }) => target === 'many').at(-1)!
    await openEntry(last.key)
    const row = page.getByRole('list', { name: 'Entries' }).getByRole('button', { name: last.key })
    await row.waitFor()
    expect(await row.getAttribute('aria-pressed')).toBe('true')
    const isInSight = () =>
      row.evaluate((element) => {
        const { top, bottom } = element.getBoundingClientRect()
        return top >= 0 && bottom <= innerHeight
      })
    await expect.poll(isInSight).toBe(true)
  })

  it('hides a tool and shows it again, in the file, with its comments', async () => {
    await openEntry('forms_wipe')
    const shown = page.getByRole('switch', { name: 'Shown to clients' })
    expect(await shown.isChecked()).toBe(true)
    await shown.click()
    await apply()
    await page.getByRole('link', { name: 'Why is it hidden?' }).waitFor()
    expect(await suite.gateway.readConfig()).toContain('"exclude"')
    expect(await suite.gateway.readConfig()).toContain('// Odd on purpose')
    expect(await shown.isChecked()).toBe(false)
    await shown.click()
    await apply()
    await page.getByRole('link', { name: 'Explain' }).waitFor()
    expect(await suite.gateway.readConfig()).not.toContain('wipe')
  })

  it('renames and describes a tool in the file', async () => {
    await openEntry('forms_look')
    await page.getByLabel('Name', { exact: true }).fill('peek')
    await page.getByLabel('Description', { exact: true }).fill('Looks, and touches nothing')
    await page.getByRole('button', { name: 'Review and save…' }).click()
    await apply()
    await until(async () => {
      const { entries } = await suite.gateway.api.call('catalog', { query: {} })
      return entries.find(({ key }) => key === 'forms_peek')?.description === 'Looks, and touches nothing'
    })
    await openEntry('forms_peek')
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('peek')
  })

  it('counts what has changed since the last look', async () => {
    await opened.go('/catalog')
    await suite.gateway.api.call('startCall', {
      body: {
        method: 'tools/call',
        params: { name: 'crashing_change' },
        client: { era: 'modern', capabilities: {} },
      },
    })
    await page.getByRole('tab', { name: 'What changed (2 new)' }).click()
    await page.getByRole('heading', { name: '2 new since your last look: 2 changed' }).waitFor()
    await page.getByRole('button', { name: 'Mark as seen' }).click()
    await page.getByRole('tab', { name: 'What changed', exact: true }).waitFor()
  })
})
