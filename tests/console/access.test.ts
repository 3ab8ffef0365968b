import { createRequire } from 'node:module'
import { join } from 'node:path'
import { connect, http, type Client } from '@gantry/mcp/client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeConsole } from './support/console-suite.ts'
import { axe, cutWords } from './support/open-console.ts'

const KEY = 'desk-key-0123456789abcdef0123456789'
const EVERYTHING = join(
  createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json'),
  '../dist/index.js',
)

const config = {
  mcpServers: { all: { command: process.execPath, args: [EVERYTHING, 'stdio'] } },
  auth: { apiKeys: [{ name: 'desk', key: KEY }], keys: true },
  policy: {
    rules: [
      { name: 'no images', deny: ['tools:all/get-tiny-image'] },
      {
        name: 'small sums',
        deny: ['tools:all/get-sum'],
        when: 'args.a > 10.0',
        message: 'Sums over 10 need a lead.',
      },
      { name: 'on trial', deny: ['tools:all/echo'], when: 'args.message == "loud"', mode: 'audit' },
    ],
  },
  limits: { rates: [{ name: 'echoes', for: ['tools:all/echo'], perDay: 4 }] },
  results: [{ name: 'no addresses', mask: ['email'] }],
  views: {
    desk: {
      use: ['tools:all/echo', 'tools:all/get-sum'],
      title: 'Desk',
      who: { apiKeys: ['desk'] },
      tools: { 'all/echo': { name: 'say', parameters: { message: { rename: 'text' } } } },
    },
  },
}

describeConsole('who may do what', { config, entries: 10 }, (suite) => {
  let client: Client
  const call = (name: string, args: object): Promise<unknown> =>
    client.call(name, { ...args }).catch(() => undefined)

  beforeAll(async () => {
    client = await connect(
      http(`${suite.gateway.url}/mcp`, { headers: { authorization: `Bearer ${KEY}` } }),
      { name: 'desk-app', version: '1.0.0' },
    )
    await call('all_echo', { message: 'ann@example.com' })
    await call('all_echo', { message: 'loud' })
  })
  afterAll(() => client?.close())

  it('lists keys and callers, and leads to what a caller sees', async () => {
    const { page, go, close } = await suite.open()
    await go('/access')
    await page.getByRole('table', { name: 'Keys' }).getByText('desk', { exact: true }).waitFor()
    const callers = page.getByRole('table', { name: 'Callers' })
    await callers
      .getByRole('row', { name: /key:desk/ })
      .getByText('desk-app')
      .waitFor()
    expect(await axe(page)).toEqual([])
    await callers.getByRole('link', { name: 'What it sees' }).click()
    await page.getByRole('grid', { name: 'Entries' }).getByText('all_echo').first().waitFor()
    expect(await page.getByText('all_get-tiny-image').count()).toBe(0)
    await page.getByLabel('Entries', { exact: true }).first().selectOption('hidden')
    await page.getByText('rule “no images”').waitFor()
    expect(await axe(page)).toEqual([])
    await close()
  })

  it('makes a key that works, and revokes it', async () => {
    const { page, go, close } = await suite.open()
    await go('/access')
    await page.getByRole('button', { name: 'Make a key…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('night-shift')
    await dialog.getByLabel('Only /mcp/desk').check()
    expect(await axe(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Make it' }).click()
    const key = (await dialog.getByRole('region', { name: 'key' }).textContent())!.trim()
    const open = () =>
      fetch(`${suite.gateway.url}/mcp/desk`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}` },
        body: '{}',
      })
    expect((await open()).status).not.toBe(401)
    await dialog.getByRole('button', { name: 'I have it' }).click()
    const row = page.getByRole('table', { name: 'Keys' }).getByRole('row', { name: /night-shift/ })
    await row.getByText('/mcp/desk').waitFor()
    await row.getByRole('button', { name: 'Revoke…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click()
    await row.waitFor({ state: 'detached' })
    expect((await open()).status).toBe(401)
    await close()
  })

  it('counts what rules decide while one looks, and what limits have left', async () => {
    const { page, go, close } = await suite.open()
    await go('/access?tab=rules')
    const rules = page.getByRole('table', { name: 'Rules' })
    const denied = rules
      .getByRole('row', { name: /small sums/ })
      .getByRole('cell')
      .nth(4)
    await denied.getByText('0', { exact: true }).waitFor()
    await call('all_get-sum', { a: 11, b: 1 })
    await denied.getByText('1', { exact: true }).waitFor()
    await rules
      .getByRole('row', { name: /on trial/ })
      .getByRole('cell')
      .nth(6)
      .getByText('1')
      .waitFor()
    expect(await axe(page)).toEqual([])
    await page.getByRole('tab', { name: /Limits/ }).click()
    await page.getByText('2 of 4 today').waitFor()
    expect(await axe(page)).toEqual([])
    await page.getByRole('tab', { name: /Results/ }).click()
    await page.getByRole('table', { name: 'What was found' }).getByRole('row', { name: /email/ }).waitFor()
    expect(await axe(page)).toEqual([])
    await close()
  })

  it('says of a call who may make it, and why', async () => {
    const { page, go, close } = await suite.open()
    await go('/access?tab=try')
    await page.getByLabel('Caller').fill('key:desk')
    await page.getByLabel('Tool, prompt or resource').fill('all_get-sum')
    await page.getByLabel('Arguments').fill('{"a": 2, "b"')
    await page.getByText('Write a JSON object').waitFor()
    await page.getByLabel('Arguments').fill('{"a": 2, "b": 1}')
    await page
      .getByText(/permits this call to/)
      .first()
      .waitFor()
    await page.getByLabel('Arguments').fill('{"a": 20, "b": 1}')
    await page
      .getByText(/denies this call to/)
      .first()
      .waitFor()
    const says = page.getByRole('table', { name: 'What each rule says' })
    await says.getByRole('row', { name: /small sums.*decides.*denies/ }).waitFor()
    await page.getByText('Sums over 10 need a lead.').first().waitFor()
    expect(await axe(page)).toEqual([])
    for (const width of [390, 1920, 1280]) {
      await page.setViewportSize({ width, height: 900 })
      await says.getByText('not about this').first().waitFor()
      expect([width, await cutWords(page)]).toEqual([width, []])
    }
    // The address has the question.
    await page.reload()
    await page
      .getByText(/denies this call to/)
      .first()
      .waitFor()
    await page.getByLabel('Endpoint').selectOption('desk')
    await page.getByLabel('Tool, prompt or resource').fill('all_get-env')
    await page
      .getByText(/denies this call to/)
      .first()
      .waitFor()
    await close()
  })

  it('edits a view with a look at what the model sees, and keeps what was typed', async () => {
    const { page, go, close } = await suite.open()
    await go('/access?tab=views')
    await page.getByRole('grid', { name: 'Views' }).getByText('/mcp/desk').click()
    const entries = page.getByRole('grid', { name: 'Entries' })
    await entries.getByRole('row', { name: /say/ }).click()
    const seen = page.getByRole('region', { name: 'What the model sees' })
    await seen
      .getByText(/\btext\b/)
      .first()
      .waitFor()
    await page.getByRole('region', { name: 'What the target has' }).getByText('message').first().waitFor()
    await page.getByLabel('Name in the view').fill('repeat')
    await entries.getByRole('row', { name: /repeat/ }).waitFor()
    expect(await axe(page)).toEqual([])
    await go('/access?tab=views')
    await go('/view?name=desk')
    await page.getByText('Your changes are not saved yet.').waitFor()
    await page.getByRole('button', { name: 'Review and save…' }).click()
    await page.getByRole('dialog').getByText('repeat').first().waitFor()
    expect(await axe(page)).toEqual([])
    await page.getByRole('button', { name: 'Save and apply' }).click()
    await expect.poll(() => suite.gateway.readConfig()).toContain('"repeat"')
    await page.getByText('Your changes are not saved yet.').waitFor({ state: 'detached' })
    await close()
  })

  it('adds a view and takes it out, at the size of a phone', async () => {
    const { page, go, close } = await suite.open({ viewport: { width: 390, height: 844 } })
    await go('/view')
    await page.getByLabel('Name', { exact: true }).fill('small')
    await page.getByLabel('What is in it').fill('tools:all/echo\n')
    await page.getByRole('grid', { name: 'Entries' }).getByText('all_echo').first().waitFor()
    await page.getByLabel('key desk').check()
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expect(overflow).toBe(0)
    await page.getByRole('button', { name: 'Review and save…' }).click()
    await page.getByRole('button', { name: 'Save and apply' }).click()
    await page.getByRole('heading', { name: 'View small' }).waitFor()
    expect(JSON.parse(await suite.gateway.readConfig()).views.small).toEqual({
      use: ['tools:all/echo'],
      who: { apiKeys: ['desk'] },
    })
    await page.getByRole('button', { name: 'Remove…' }).click()
    await page.getByRole('button', { name: 'Save and apply' }).click()
    await page.getByRole('heading', { name: 'Access' }).waitFor()
    expect(await suite.gateway.readConfig()).not.toContain('small"')
    await close()
  })
})
