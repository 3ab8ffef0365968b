import type { Browser as Chromium, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { companyGateway, type CompanyGateway } from '../support/company.ts'
import { ensureBuilt } from './support/built-console.ts'
import { launch } from './support/chromium.ts'
import { axe, expectNoOverflow, openConsole } from './support/open-console.ts'

let chromium: Chromium
let gateway: CompanyGateway

beforeAll(async () => {
  await ensureBuilt()
  chromium = await launch()
  const env = { TOKEN: 'A <b>token</b> of the box' }
  const box = {
    command: process.execPath,
    args: ['-e', ''],
    title: 'The <i>box</i>',
    credentials: { kind: 'user', env },
  }
  gateway = await companyGateway({ mcpServers: { box } })
})
afterAll(async () => {
  await chromium?.close()
  await gateway?.close()
})

/** A person who comes to a page, and logs in with the company. */
async function visit(theme: 'light' | 'dark', path: string): Promise<Page> {
  const context = await chromium.newContext({ colorScheme: theme, viewport: { width: 360, height: 800 } })
  const page = await context.newPage()
  page.setDefaultTimeout(20_000)
  await page.goto(gateway.url + path)
  expect(await axe(page)).toEqual([])
  await page.click('text=Sign in')
  await page.fill('[name=login]', `ann-${theme}`)
  await page.fill('[name=password]', 'any')
  await page.click('[type=submit]')
  await page.click('[type=submit]')
  await page.waitForURL(`${gateway.url}${path}`)
  return page
}

describe.each(['light', 'dark'] as const)('the page of accounts, %s', (theme) => {
  it('leads a person from the login to a connected account and back, accessibly and by keyboard', async () => {
    const page = await visit(theme, '/connect/to/box')
    expect(await page.textContent('h1')).toBe('Connect your account of The <i>box</i>?')
    expect(await axe(page)).toEqual([])
    await expectNoOverflow(page)
    await page.keyboard.press('Tab')
    await page.keyboard.type('token-of-ann')
    await page.keyboard.press('Enter')
    await page.waitForSelector('[role=status]')
    expect(await page.textContent('main')).toContain(`ann-${theme}`)
    expect(await page.content()).not.toContain('token-of-ann')
    expect(await axe(page)).toEqual([])
    await expectNoOverflow(page)
    await page.click('button:has-text("Disconnect")')
    await page.waitForSelector('text=Not connected.')
    expect(await axe(page)).toEqual([])
    await page.goto(`${gateway.url}/connect/go/nothing`)
    expect(await page.textContent('h1')).toBe('Used already')
    expect(await axe(page)).toEqual([])
    await page.context().close()
  })
})

it('operators see in the console who has connected what, and end it', async () => {
  const person = await visit('light', '/connect/to/box')
  await person.keyboard.press('Tab')
  await person.keyboard.type('token-of-ann')
  await person.keyboard.press('Enter')
  await person.waitForSelector('[role=status]')

  const { page, go, close } = await openConsole(chromium, gateway.consoleUrl!)
  await go('/access')
  await page.getByRole('tab', { name: 'Connections' }).click()
  const row = page.getByRole('table', { name: 'Connections' }).getByRole('row', { name: /person:ann-light/ })
  await row.getByRole('link', { name: 'box' }).waitFor()
  await row.getByText('not yet').waitFor()
  expect(await page.content()).not.toContain('token-of-ann')
  expect(await axe(page)).toEqual([])
  await row.getByRole('button', { name: 'Disconnect…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Disconnect', exact: true }).click()
  await page.getByText('Nobody has connected an account').waitFor()
  await person.goto(`${gateway.url}/connect`)
  await person.getByText('Not connected.').waitFor()
  await page.setViewportSize({ width: 390, height: 844 })
  await expectNoOverflow(page)
  await person.context().close()
  await close()
})
