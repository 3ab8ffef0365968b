import type { Browser as Chromium, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { companyGateway, type CompanyGateway } from '../support/company.ts'
import { BOTH_ERAS } from '../support/start-gateway.ts'
import { until } from '../support/admin-gateway.ts'
import { ensureBuilt } from './support/built-console.ts'
import { launch } from './support/chromium.ts'
import { axe, expectNoOverflow } from './support/open-console.ts'

const GROUPS: Record<string, string[]> = {
  ann: ['platform'],
  oli: ['staff', 'on-call'],
  vic: ['staff'],
  gus: ['guests'],
}
/** Every page, with something that it shows to those who may see it. */
const PAGES: Record<string, string> = {
  '/': 'Connect a client',
  '/targets/new': 'Last calls',
  '/catalog?entry=new_touch&entryKind=tool': 'Definition as clients get it',
  '/wire': 'Filter exchanges',
  '/tools': 'Last used',
  '/clients': 'Who uses this gateway',
  '/access': 'Who has called',
  '/access?tab=views': '/mcp/desk',
  '/view?name=desk': 'What the model sees',
  '/why?name=new_touch': 'Chain of causes',
  '/approvals': 'No call waits for approval',
}
const FOR_OPERATORS = ['/waiting', '/playground', '/events', '/configuration']
const CHANGES =
  /^(Add|Call|Replay|Restart|Stop|Start|Refresh|Clear|Export|Make a key|Review|Remove|Disconnect)\b/

let chromium: Chromium
let gateway: CompanyGateway

beforeAll(async () => {
  await ensureBuilt()
  chromium = await launch()
  const config = {
    mcpServers: BOTH_ERAS.mcpServers,
    views: { desk: { use: ['new/*'] } },
    auth: { roles: { admin: ['platform'], operator: ['on-call'], viewer: ['staff'] } },
  }
  const claimsOf = (sub: string) => ({ email: `${sub}@example.com`, groups: GROUPS[sub] })
  gateway = await companyGateway(config, {}, claimsOf, { memoryConfig: JSON.stringify(config) })
  await until(
    async () => (await gateway.api.call('catalog', { query: {} })).entries.length >= 16,
    'The catalog',
  )
  const body = { method: 'tools/call', params: { name: 'new_touch' } }
  await gateway.api.call('startCall', {
    body: { ...body, client: { era: 'modern', capabilities: {} } },
  })
})
afterAll(async () => {
  await chromium?.close()
  await gateway?.close()
})

interface Visit {
  readonly page: Page
  /** Answers that say that the page has asked for too much. */
  readonly refused: string[]
  go(path: string): Promise<void>
  close(): Promise<void>
}

async function open(path: string, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await chromium.newContext({ viewport: { width: 1280, height: 900 }, ...options })
  const page = await context.newPage()
  page.setDefaultTimeout(30_000)
  const refused: string[] = []
  page.on('response', (response) => {
    if (response.status() === 403) refused.push(response.url())
  })
  const go = async (to: string) => {
    await page.goto(`${gateway.url}/console${to}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
  }
  await go(path)
  return { page, refused, go, close: () => context.close() }
}

/** A person who logs in with the company, by keyboard. */
async function signIn(login: string, path = '/', options: BrowserContextOptions = {}): Promise<Visit> {
  const visit = await open(path, options)
  const { page } = visit
  await page.getByRole('button', { name: 'Sign in with your company' }).press('Enter')
  await page.fill('[name=login]', login)
  await page.fill('[name=password]', 'any')
  await page.click('[type=submit]')
  await page.click('[type=submit]')
  await page.waitForURL((url) => url.pathname.startsWith('/console/') && url.search !== '?ticket')
  await page.getByRole('heading', { level: 1 }).waitFor()
  return visit
}

describe('signing in to the console', () => {
  it.each(['light', 'dark'] as const)('has an accessible page, also on a phone, %s', async (colorScheme) => {
    const { page, close } = await open('/', { colorScheme, viewport: { width: 390, height: 844 } })
    await page.getByRole('button', { name: 'Sign in with your company' }).waitFor()
    expect(await axe(page)).toEqual([])
    await expectNoOverflow(page)
    expect(await page.title()).toContain('Sign in')
    await close()
  })

  it('leads back to the page that was wanted, says who is there, and signs out for good', async () => {
    const { page, close } = await signIn('ann', '/catalog?q=new_touch')
    await page.getByRole('heading', { level: 1, name: 'Catalog' }).waitFor()
    expect(page.url()).toBe(`${gateway.url}/console/catalog?q=new_touch`)
    await page.getByText('ann@example.com').waitFor()
    await page.getByText('admin', { exact: true }).waitFor()
    const ask = () =>
      page.evaluate(async () => {
        const key = localStorage.getItem('gantry.page-key')!
        return (await fetch('/api/session', { headers: { 'gantry-console': key } })).status
      })
    expect(await ask()).toBe(200)
    const cookies = await page.context().cookies(`${gateway.url}/api`)
    expect(cookies.every(({ httpOnly }) => httpOnly)).toBe(true)
    // A new tab knows the person too.
    const tab = await page.context().newPage()
    await tab.goto(`${gateway.url}/console/`)
    await tab.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign in with your company' }).waitFor()
    // Also for those who have kept the cookie.
    await page.context().addCookies(cookies)
    expect(await ask()).toBe(401)
    await close()
  })

  it('takes a ticket once, and only in the browser that has logged in', async () => {
    const { page, close } = await open('/')
    let ticket = ''
    await page.route(/\/api\/session$/, async (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      ticket = route.request().headers().authorization!.replace('Ticket ', '')
      await route.abort()
    })
    await page.getByRole('button', { name: 'Sign in with your company' }).click()
    await page.fill('[name=login]', 'ann')
    await page.fill('[name=password]', 'any')
    await page.click('[type=submit]')
    await page.click('[type=submit]')
    await until(async () => ticket !== '', 'The ticket')
    const headers = { authorization: `Ticket ${ticket}`, 'gantry-console': 'x'.repeat(32) }
    const stolen = await fetch(`${gateway.url}/api/session`, { method: 'POST', headers })
    expect([stolen.status, stolen.headers.get('set-cookie')]).toEqual([401, null])
    await close()
    const late = await open('/')
    await late.page.goto(`${gateway.url}/console/signed-in?ticket=${ticket}`)
    await late.page.getByText('The sign-in has ended').waitFor()
    expect(late.page.url()).toBe(`${gateway.url}/console/`)
    await late.close()
  })

  it('takes no session from a header, and no ticket of nobody', async () => {
    for (const authorization of ['Session abc', 'Ticket abc', 'Ticket ', 'Session ']) {
      const response = await fetch(`${gateway.url}/api/overview`, { headers: { authorization } })
      expect([authorization, response.status]).toEqual([authorization, 401])
    }
  })
})

describe.each([1280, 390])('a viewer, at %i pixels', (width) => {
  it('sees lists and figures, is offered nothing to change, and asks for nothing that is refused', async () => {
    const { page, refused, go, close } = await signIn('vic', '/', { viewport: { width, height: 844 } })
    const found: string[] = []
    for (const [path, text] of Object.entries(PAGES)) {
      await go(path)
      const shown = page.getByText(text).or(page.getByLabel(text)).locator('visible=true').first()
      await shown.waitFor().catch(() => expect.fail(`${path} does not show “${text}”`))
      await expectNoOverflow(page)
      const names = await page
        .locator('main')
        .getByRole('button')
        .or(page.locator('main a'))
        .allTextContents()
      found.push(...names.filter((name) => CHANGES.test(name.trim())).map((name) => `${path}: ${name}`))
      if (width === 390) found.push(...(await axe(page)).map((one) => `${path} ${one}`))
    }
    expect(found).toEqual([])
    for (const path of FOR_OPERATORS) {
      await go(path)
      await page.getByText('This page takes the role operator').waitFor()
    }
    await go('/add-target')
    await page.getByText('This page takes the role admin').waitFor()
    expect(refused).toEqual([])
    await close()
  })
})

it('a viewer looks at an exchange without its messages', async () => {
  const { page, refused, close } = await signIn('vic', '/wire')
  await page
    .getByRole('grid', { name: 'Exchanges' })
    .getByRole('row', { name: /new_touch/ })
    .first()
    .click()
  await page.getByText('Messages are for operators').waitFor()
  expect(await page.getByRole('button', { name: /Replay|Compare/ }).count()).toBe(0)
  // Keys lead nowhere else than links do.
  await page.keyboard.press('Escape')
  await page.getByRole('heading', { level: 1 }).focus()
  await page.keyboard.type('gf')
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').getByRole('combobox').fill('new')
  expect(await page.getByRole('option', { name: /Restart|Playground/ }).count()).toBe(0)
  expect(page.url()).toContain('/wire')
  expect(refused).toEqual([])
  await close()
})

it('an operator runs the gateway, and reads the file without changing it', async () => {
  const { page, refused, go, close } = await signIn('oli', '/targets/new')
  await page.getByRole('button', { name: 'Restart' }).waitFor()
  await go('/configuration')
  await page.getByText('As saved').waitFor()
  expect(await page.getByRole('button', { name: /Review|Undo/ }).count()).toBe(0)
  await go('/catalog?entry=new_touch&entryKind=tool')
  await page.getByText('Open in the playground').waitFor()
  expect(await page.getByText('How clients see it').count()).toBe(0)
  expect(await page.getByRole('link', { name: 'Add a target' }).count()).toBe(0)
  expect(refused).toEqual([])
  await close()
})

it('a person without a role is told so, and can still decide about calls', async () => {
  const { page, refused, close } = await signIn('gus')
  await page.getByRole('heading', { level: 1, name: 'You have no role here' }).waitFor()
  await page.getByText('gus@example.com').first().waitFor()
  expect(await axe(page)).toEqual([])
  const pages = page.getByRole('navigation', { name: 'Pages' }).getByRole('link')
  expect(await pages.allTextContents()).toEqual(['Approvals'])
  await pages.click()
  await page.getByText('No call waits for approval').waitFor()
  expect(refused).toEqual([])
  await close()
})

it('a change of the roles holds at once for those who are signed in', async () => {
  const { page, close } = await signIn('vic')
  await page.getByText('viewer', { exact: true }).waitFor()
  await page.getByText('live', { exact: true }).first().waitFor()
  const { model } = gateway.gateway
  await gateway.gateway.apply({
    ...model,
    auth: { ...model.auth, roles: { viewer: [], operator: ['staff'], admin: [] } },
  })
  await page.getByText('operator', { exact: true }).waitFor()
  await close()
})
