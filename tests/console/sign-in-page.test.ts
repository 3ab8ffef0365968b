import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser as Chromium, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { companyGateway, type CompanyGateway } from '../support/company.ts'
import { register, REDIRECT } from '../support/sign-in-client.ts'
import { launch } from './support/chromium.ts'
import { axe, expectNoOverflow } from './support/open-console.ts'

let chromium: Chromium
let gateway: CompanyGateway
let address: string
/** A client that waits on loopback, on another port than it has registered. */
const client = createServer((_, response) => response.end('back at the client'))

beforeAll(async () => {
  chromium = await launch()
  gateway = await companyGateway({ mcpServers: {} }, { scopes: ['use'] })
  const { json } = await register(gateway, {
    client_name: '<img src=x onerror=alert(1)>\u202eevil',
    redirect_uris: [REDIRECT],
    token_endpoint_auth_method: 'none',
  })
  await new Promise<void>((done) => client.listen(0, '127.0.0.1', done))
  const query = new URLSearchParams({
    client_id: json.client_id,
    redirect_uri: `http://127.0.0.1:${(client.address() as AddressInfo).port}/`,
    response_type: 'code',
    code_challenge: 'x'.repeat(43),
    code_challenge_method: 'S256',
    state: 'the-state',
  })
  address = `${gateway.url}/oauth/authorize?${query}`
})
afterAll(async () => {
  await chromium?.close()
  await gateway?.close()
  client.close()
})

/** What the client was told. */
async function answered(page: Page): Promise<URLSearchParams> {
  await page.waitForURL(/[?&]iss=/)
  return new URL(page.url()).searchParams
}

/** A person who has logged in with the company, and is asked. */
async function atConsent(colorScheme: 'light' | 'dark', width = 1280): Promise<Page> {
  const context = await chromium.newContext({ colorScheme, viewport: { width, height: 800 } })
  const page = await context.newPage()
  page.setDefaultTimeout(20_000)
  await page.goto(address)
  await page.fill('[name=login]', 'ann')
  await page.fill('[name=password]', 'any')
  await page.click('[type=submit]')
  await page.click('[type=submit]')
  await page.waitForSelector('[name=answer]')
  return page
}

describe.each(['light', 'dark'] as const)('the consent page, %s', (theme) => {
  it('is accessible, also on a phone, and shows what strangers write as text', async () => {
    const page = await atConsent(theme, 360)
    expect(await axe(page)).toEqual([])
    await expectNoOverflow(page)
    expect(await page.title()).toBe('Allow access? · Gantry')
    const heading = await page.textContent('h1')
    expect(heading).toContain('<img src=x onerror=alert(1)>evil')
    expect(await page.locator('img').count()).toBe(0)
    expect(await page.textContent('main')).toContain('ann@example.com')
    await page.context().close()
  })

  it('is answered with the keyboard alone', async () => {
    const page = await atConsent(theme)
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Allow')
    await page.keyboard.press('Enter')
    expect((await answered(page)).get('code')).toBeTruthy()
    await page.context().close()
  })

  it('says that a sign-in has ended, accessibly', async () => {
    const context = await chromium.newContext({ colorScheme: theme })
    const page = await context.newPage()
    const response = await page.goto(`${gateway.url}/oauth/sign-in/nothing`)
    expect(response?.status()).toBe(400)
    expect(await axe(page)).toEqual([])
    expect(await page.textContent('h1')).toBe('Sign-in failed')
    await context.close()
  })
})

it('no is an answer', async () => {
  const page = await atConsent('light')
  await page.click('text=Deny')
  expect((await answered(page)).get('error')).toBe('access_denied')
  await page.context().close()
})
