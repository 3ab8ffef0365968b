import type { Browser as Chromium, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { companyGateway, type CompanyGateway } from '../support/company.ts'
import { register, REDIRECT } from '../support/sign-in-client.ts'
import { ensureBuilt } from './support/built-console.ts'
import { launch } from './support/chromium.ts'
import { axe, expectNoOverflow, openConsole } from './support/open-console.ts'

const KEY = 'key-of-ops-0123456789-abcdefgh'

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
  // Its login cannot be reached.
  const far = { url: 'http://127.0.0.1:1/mcp', title: 'Far away', credentials: 'user' }
  const auth = { apiKeys: [{ name: 'ops', key: KEY }] }
  gateway = await companyGateway({ auth, mcpServers: { box, far } })
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

/** Presses Tab until something with this text has the focus. */
async function tabTo(page: Page, text: string | RegExp): Promise<void> {
  for (let presses = 0; presses < 20; presses++) {
    await page.keyboard.press('Tab')
    const focused = await page.evaluate(() => {
      const { activeElement } = document
      const label = (activeElement as HTMLInputElement | null)?.labels?.[0]?.textContent
      return label ?? activeElement?.textContent ?? ''
    })
    if (text instanceof RegExp ? text.test(focused) : focused === text) return
  }
  throw new Error(`Nothing with the text ${text} is reached by Tab`)
}

describe.each(['light', 'dark'] as const)('by keyboard alone, %s', (theme) => {
  it('a person says who they are by a key, is told of a wrong one, and signs out', async () => {
    const context = await chromium.newContext({
      colorScheme: theme,
      viewport: { width: 360, height: 800 },
    })
    const page = await context.newPage()
    page.setDefaultTimeout(20_000)
    await page.goto(`${gateway.url}/connect`)
    await tabTo(page, 'Use a key or a token instead')
    await page.keyboard.press('Enter')
    await tabTo(page, 'Your key or access token of this gateway')
    await page.keyboard.type('a-wrong-key')
    await page.keyboard.press('Enter')
    await page.waitForSelector('[role=alert]')
    expect(await page.content()).not.toContain('a-wrong-key')
    expect(await axe(page)).toEqual([])
    await tabTo(page, 'Use a key or a token instead')
    await page.keyboard.press('Enter')
    expect(await axe(page)).toEqual([])
    await expectNoOverflow(page)
    await tabTo(page, 'Your key or access token of this gateway')
    await page.keyboard.type(KEY)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Your accounts' }).waitFor()

    // A login that cannot be reached is said so, on the same page.
    await tabTo(page, /^Connect Far away$/)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Connect your account of Far away?' }).waitFor()
    expect(await axe(page)).toEqual([])
    await tabTo(page, 'Connect')
    await page.keyboard.press('Enter')
    await page.waitForSelector('[role=alert]')
    expect(await axe(page)).toEqual([])
    await expectNoOverflow(page)

    await tabTo(page, 'Your accounts')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Your accounts' }).waitFor()
    await tabTo(page, 'Sign out')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Who are you?' }).waitFor()
    await context.close()
  })

  it('a person connects an account in the middle of a sign-in, and allows the client', async () => {
    const { json } = await register(gateway)
    const query = new URLSearchParams({
      client_id: json.client_id,
      redirect_uri: REDIRECT,
      response_type: 'code',
      code_challenge: 'x'.repeat(43),
      code_challenge_method: 'S256',
    })
    const page = await visit(theme, '/connect')
    await page.goto(`${gateway.url}/oauth/authorize?${query}`)
    const allow = page.getByRole('button', { name: 'Allow', exact: true })
    await page.locator('[type=submit], [name=answer]').first().waitFor()
    while ((await allow.count()) === 0) {
      await page.click('[type=submit]')
      await page.waitForLoadState()
    }
    const accounts = page.getByRole('region', { name: 'Your own accounts' })
    expect(await accounts.textContent()).toContain('The <i>box</i>: not connected')
    expect(await axe(page)).toEqual([])
    await expectNoOverflow(page)
    await tabTo(page, 'Connect The <i>box</i>')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/connect\/to\/box$|\/interaction\//)
    while (!page.url().endsWith('/connect/to/box')) {
      await page.click('[type=submit]')
      await page.waitForLoadState()
    }
    await tabTo(page, 'A <b>token</b> of the box')
    await page.keyboard.type('token-of-ann')
    await page.keyboard.press('Enter')
    await allow.waitFor()
    expect(await accounts.textContent()).toContain('The <i>box</i>: connected')
    expect(await axe(page)).toEqual([])
    await tabTo(page, 'Allow')
    // Nothing listens there: that it is asked for is enough.
    const back = page.waitForRequest((request) => request.url().startsWith(REDIRECT))
    await page.keyboard.press('Enter')
    expect(new URL((await back).url()).searchParams.get('code')).toBeTruthy()
    const list = await page.context().newPage()
    await list.goto(`${gateway.url}/connect`)
    await list.getByRole('button', { name: /^Disconnect/ }).press('Enter')
    await list.getByRole('status').waitFor()
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
  const card = person.getByRole('listitem').filter({ hasText: 'The <i>box</i>' })
  await card.getByText('Not connected.').waitFor()
  await page.setViewportSize({ width: 390, height: 844 })
  await expectNoOverflow(page)
  await person.context().close()
  await close()
})
