import { fileURLToPath } from 'node:url'
import { join } from 'node:path'
import { tmpdir } from 'node:os'
import { rmSync } from 'node:fs'
import { afterAll, expect, it } from 'vitest'
import { modernRequest } from '../support/raw-client.ts'
import { describeConsole } from './support/console-suite.ts'
import { shownNotifications, watchNotifications } from './support/notifications.ts'
import { axe } from './support/open-console.ts'

const REFUNDS = fileURLToPath(new URL('../fixtures/refund-server.mjs', import.meta.url))
const FILE = join(tmpdir(), `gantry-refunds-${process.pid}`)
afterAll(() => rmSync(FILE, { force: true }))
const config = {
  mcpServers: {
    bank: { command: process.execPath, args: [REFUNDS, FILE] },
  },
  policy: {
    rules: [
      {
        name: 'large refunds',
        allow: ['tools:bank/refund'],
        when: 'args.amount > 500',
        approve: { message: 'Large refunds need a look.' },
      },
    ],
  },
  results: [{ mask: ['email'] }],
}

describeConsole('approvals in the console', { config, entries: 1 }, (suite) => {
  const refund = async (amount: number): Promise<string> => {
    const params = { name: 'bank_refund', arguments: { amount, for: 'ann@example.com' } }
    return (await modernRequest(`${suite.gateway.url}/mcp`, 'tools/call', params, { capabilities: {} })).text
  }

  it('are counted in a badge, and one click approves, for one call', async () => {
    const { page, go, close } = await suite.open()
    await go('/')
    const refused = await refund(600)
    const badge = page.getByTitle('1 call waiting for approval')
    await badge.waitFor()
    const link = /http[^ ]+\/console\/approvals\?id=[0-9a-f-]+/.exec(refused)![0]
    await go(link.slice(link.indexOf('/approvals')))
    const list = page.getByRole('list', { name: 'Calls that wait for approval' })
    await list.getByText('Large refunds need a look.').waitFor()
    await list.getByText('[masked email]').waitFor()
    expect(await list.textContent()).not.toContain('ann@example.com')
    expect(await axe(page)).toEqual([])
    await list.getByRole('button', { name: 'Approve refund' }).click()
    await page.getByText('The call was approved.').first().waitFor()
    await badge.waitFor({ state: 'detached' })
    expect(await refund(600)).toContain('refunded 600')
    // The call has used the approval up.
    await page.getByText('The call of this link does not wait any more.').waitFor()
    await page.getByText('No call waits for approval').waitFor()
    await close()
  })

  it('are counted in the title of the tab, and notified of, wherever one is', async () => {
    const away = await suite.open({ viewport: { width: 390, height: 800 } })
    const { page } = away
    await watchNotifications(page)
    await away.go('/approvals')
    await page.getByRole('button', { name: 'Notify me' }).click()
    await page.getByText('notifications are on').waitFor()
    await away.go('/wire')
    await page.getByRole('button', { name: 'Pause' }).waitFor()
    await page.evaluate(() => Object.defineProperty(document, 'visibilityState', { value: 'hidden' }))
    await refund(650)
    await expect.poll(() => page.title()).toBe('(1) Wire · Gantry')
    expect(await shownNotifications(page)).toEqual([
      'Gantry: an approval is needed: A caller without credentials wants to use refund of bank',
    ])
    await page.getByRole('link', { name: '1 to approve' }).click()
    await page.getByRole('button', { name: 'Deny refund' }).click()
    await expect.poll(() => page.title()).toBe('Approvals · Gantry')
    await away.close()
  })

  it('are denied with a reason, by keyboard and on a small screen', async () => {
    const { page, go, close } = await suite.open({ viewport: { width: 390, height: 800 } })
    await refund(700)
    await go('/approvals')
    await page.getByLabel('Reason').fill('Not today.')
    await page.getByRole('button', { name: 'Deny refund' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText(/denied by console: Not today\./).waitFor()
    expect(await axe(page)).toEqual([])
    expect(await refund(700)).toContain('The reason given is: Not today.')
    await close()
  })
})
