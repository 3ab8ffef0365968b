import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { BOTH_ERAS } from '../support/start-gateway.ts'
import { describeConsole } from './support/console-suite.ts'
import { axe, expectNoOverflow } from './support/open-console.ts'

const config = {
  ...BOTH_ERAS,
  audit: {},
  policy: { rules: [{ name: 'no touching', deny: ['tools:new/touch'] }] },
}

describeConsole('the audit trail in the console', { config, entries: 10 }, (suite) => {
  const callTool = async (name: string) => {
    const { api } = suite.gateway
    const client = { era: 'modern', capabilities: {} } as const
    const { id } = await api.call('startCall', {
      body: { method: 'tools/call', params: { name, arguments: {} }, client },
    })
    await expect
      .poll(async () => (await api.call('playgroundCall', { params: { id } })).status)
      .not.toBe('running')
  }

  it('searches who did what, and shows an event as it is kept', async () => {
    await callTool('old_touch')
    await callTool('new_touch')
    const { page, complaints, close } = await suite.open()
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Audit' }).click()
    const rows = page.getByRole('grid', { name: 'Audit events' }).locator('tbody tr')
    await rows.filter({ hasText: 'touch' }).filter({ hasText: 'denied' }).first().waitFor()
    await page.getByLabel('Outcome').selectOption('denied')
    await expect.poll(() => rows.filter({ hasNotText: 'denied' }).count()).toBe(0)
    await rows.filter({ hasText: 'no touching' }).first().click()
    const dialog = page.getByRole('dialog', { name: /tools\/call/ })
    await dialog.getByText('class_uid').first().waitFor()
    expect(await axe(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.getByLabel('Outcome').selectOption('')
    await page.getByLabel('Find in the events').fill('nothing like this anywhere')
    await page.getByText('No event is like this').waitFor()
    await page.getByLabel('Find in the events').fill('gateway/start')
    await expect.poll(() => rows.count()).toBe(1)
    expect(complaints).toEqual([])
    await close()
  })

  it('shows new events as they come, those that are searched for only', async () => {
    const { page, go, close } = await suite.open({ viewport: { width: 390, height: 844 } })
    await go('/audit?text=old_greet-or-touch')
    await page.getByText('No event is like this').waitFor()
    await page.getByLabel('Find in the events').fill('capital')
    const rows = page.getByRole('grid', { name: 'Audit events' }).locator('tbody tr')
    await expect
      .poll(async () => {
        await callTool('old_touch')
        await callTool('old_capital')
        return rows.count()
      })
      .toBeGreaterThan(0)
    expect(await rows.filter({ hasText: 'touch' }).count()).toBe(0)
    await expectNoOverflow(page)
    expect(await axe(page)).toEqual([])
    await close()
  })

  it('says whether the chain holds, and where it is broken', async () => {
    const { page, go, close } = await suite.open()
    await go('/audit')
    const check = page.getByRole('button', { name: 'Check the chain' })
    await check.click()
    await page.getByText('The chain holds: no event was touched').waitFor()
    const { folder } = suite.gateway.gateway.audit!.settings
    const [name] = (await readdir(folder)).filter((file) => file.endsWith('.jsonl'))
    const file = join(folder, name!)
    const text = await readFile(file, 'utf8')
    await writeFile(file, text.replace('"touch"', '"watch"'))
    await check.click()
    await page.getByText('The chain is broken').waitFor()
    await page
      .getByRole('list', { name: 'Faults' })
      .getByText(/was changed/)
      .first()
      .waitFor()
    expect(await axe(page)).toEqual([])
    await close()
  })
})
