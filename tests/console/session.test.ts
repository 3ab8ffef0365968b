import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { serveFrom } from '../support/source-process.ts'
import { BOTH_ERAS, testGateway, type TestGateway } from '../support/start-gateway.ts'
import { ensureBuilt } from './support/built-console.ts'
import { launch } from './support/chromium.ts'
import { openConsole } from './support/open-console.ts'

let stateDir: string
let gateway: TestGateway
let browser: Browser
let renewed: string
beforeAll(async () => {
  await ensureBuilt()
  stateDir = await mkdtemp(join(tmpdir(), 'gantry-session-'))
  gateway = await testGateway({ mcpServers: {}, stateDir })
  browser = await launch()
})
afterAll(async () => {
  await browser?.close()
  await gateway?.close()
  await rm(stateDir, { recursive: true, force: true })
})

it('stays signed in: in a new tab, by a bookmark, and when the gateway was restarted', async () => {
  const { page, close } = await openConsole(browser, gateway.consoleUrl!)
  const overview = (one = page) => one.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  await overview()
  expect(page.url()).not.toContain('token')
  const kept = await page.evaluate(() =>
    JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
  )
  expect(kept).not.toContain(gateway.adminToken!)
  const cookies = await page.context().cookies(`${gateway.url}/api`)
  expect(cookies.map(({ httpOnly, sameSite }) => [httpOnly, sameSite])).toEqual([[true, 'Strict']])

  const tab = await page.context().newPage()
  await tab.goto(`${gateway.url}/console/`)
  await overview(tab)

  const { port } = new URL(gateway.url)
  const before = gateway.adminToken
  await gateway.close()
  gateway = await testGateway({ mcpServers: {}, stateDir }, { port: Number(port) })
  await tab.goto(`${gateway.url}/console/`)
  await overview(tab)
  expect(gateway.adminToken).toBe(before)
  await close()
})

it('asks for the new token once it was replaced, also where one is signed in', async () => {
  const { page, close } = await openConsole(browser, gateway.consoleUrl!)
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  const { address } = await gateway.api.call('renewToken', {})
  await page.getByLabel('Console URL or token').fill(gateway.consoleUrl!)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByText('The token is not the right one').waitFor()
  await page.getByLabel('Console URL or token').fill(address)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  await close()
  renewed = address
})

it('says that a token is wrong, and takes the right one', async () => {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(`${gateway.url}/console/#token=wrong`)
  await page.getByText('The token is not the right one').waitFor()
  await page
    .getByText(/gantry console/)
    .first()
    .waitFor()
  await page.getByLabel('Console URL or token').fill(renewed)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  await context.close()
})

it('signs a browser out that has signed in with the token', async () => {
  const { page, close } = await openConsole(browser, renewed)
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('Console URL or token').waitFor()
  expect(await page.context().cookies(`${gateway.url}/api`)).toEqual([])
  await page.goto(`${gateway.url}/console/catalog`)
  await page.getByLabel('Console URL or token').waitFor()
  await close()
})

it('comes back with a gateway that was killed and started again, without the questions of before', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'gantry-killed-'))
  const file = join(dir, 'gantry.json')
  await writeFile(file, JSON.stringify({ ...BOTH_ERAS, stateDir: './state' }))
  const first = await serveFrom(file)
  const consoleUrl = `${first.url}/console/#token=${first.token}`
  const { page, go, close } = await openConsole(browser, consoleUrl)
  await go('/playground?kind=tool&name=old_greet')
  await page.getByRole('button', { name: 'Call', exact: true }).click()
  const question = page.getByLabel('Question from the server')
  await question.getByLabel('name').fill('Ada')
  const overview = await page.context().newPage()
  await overview.goto(`${first.url}/console/`)
  await overview.getByText('live', { exact: true }).first().waitFor()

  await first.kill()
  for (const one of [page, overview])
    await one.getByText('The gateway does not answer', { exact: true }).first().waitFor()
  const second = await serveFrom(file, { port: Number(new URL(first.url).port) })
  for (const one of [page, overview]) await one.getByText('live', { exact: true }).first().waitFor()
  await question.waitFor({ state: 'detached' })
  await expect.poll(() => page.getByText('waits for you').count()).toBe(0)
  await overview.getByRole('article', { name: 'old' }).getByText('ready', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Call', exact: true }).click()
  await question.waitFor()
  await close()
  await second.kill()
  await rm(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
})
