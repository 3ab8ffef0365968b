import { writeFile } from 'node:fs/promises'
import { connect } from '@gantry/mcp/client'
import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { until } from '../support/admin-gateway.ts'
import { BUSY_HOUSE } from './support/busy-house.ts'
import { describeConsole } from './support/console-suite.ts'
import { shownNotifications, watchNotifications } from './support/notifications.ts'
import { axe, expectNoOverflow, type OpenConsole } from './support/open-console.ts'

describeConsole('what an operator sees first', { config: BUSY_HOUSE, entries: 20 }, (suite) => {
  let opened: OpenConsole
  let page: Page
  beforeAll(async () => {
    opened = await suite.open({ reducedMotion: 'reduce' })
    page = opened.page
    await until(async () => {
      const { targets } = await suite.gateway.api.call('targets', {})
      return targets.filter(({ problem, state }) => problem && state !== 'disabled').length === 3
    }, 'Three broken targets')
    for (let count = 0; count < 3; count += 1) await callTool('faulty_echo')
  })

  const callTool = async (name: string) => {
    const { id } = await suite.gateway.api.call('startCall', {
      body: { method: 'tools/call', params: { name }, client: { era: 'modern', capabilities: {} } },
    })
    const status = async () => (await suite.gateway.api.call('playgroundCall', { params: { id } })).status
    return until(async () => !['running', 'waiting'].includes(await status()), name)
  }

  it('names what fails first, with the cause and what to do', async () => {
    await opened.go('/')
    const list = page.getByRole('region', { name: 'Needs attention' })
    await list.getByRole('heading', { name: '4 of 8 need attention' }).waitFor()
    const unset = list.getByRole('article', { name: 'unset' })
    await unset
      .getByText(/BROKEN_API_TOKEN/)
      .first()
      .waitFor()
    await unset.getByRole('link', { name: 'Why?' }).waitFor()
    await list.getByRole('article', { name: 'silent' }).getByRole('button', { name: 'Restart' }).waitFor()
    expect(await list.getByRole('article', { name: 'off' }).count()).toBe(0)
    const order = await page
      .locator('main section, main details')
      .evaluateAll((parts) =>
        parts.map((part) => part.getAttribute('aria-label') ?? part.querySelector('h2')?.textContent ?? ''),
      )
    expect(order[0]).toBe('Needs attention')
    await page.getByRole('heading', { name: '3 targets without trouble, 1 switched off' }).waitFor()
  })

  it('counts a target whose calls fail, and leads to those calls', async () => {
    await opened.go('/')
    const faulty = page
      .getByRole('region', { name: 'Needs attention' })
      .getByRole('article', { name: 'faulty' })
    await faulty.getByText('3 of 3 calls failed in the last ten minutes.').waitFor()
    await faulty.getByRole('link', { name: 'Show the failed calls' }).click()
    await expect.poll(() => decodeURIComponent(page.url())).toContain('filter=target:faulty')
  })

  it('shows the load with axes, ranges and the calls behind a moment, by keyboard', async () => {
    await opened.go('/')
    const slider = page.getByRole('slider', { name: 'Moment' })
    // Both axes have their figures: calls from zero to a round number above the most, and times up to now.
    const [counts, times] = await slider.evaluate((plot) =>
      [plot.previousElementSibling!, plot.nextElementSibling!].map((axis) =>
        [...axis.children].map((mark) => mark.textContent!),
      ),
    )
    const [most, half, none] = counts!.map(Number)
    expect([half, none]).toEqual([most! / 2, 0])
    expect(most).toBeGreaterThanOrEqual(3)
    expect(times).toEqual([...Array(4).fill(expect.stringMatching(/^\d\d:\d\d/)), 'now'])
    await slider.focus()
    await page.keyboard.press('End')
    for (let left = 60; left > 0; left -= 1) {
      if (!/: 0 calls/.test((await slider.getAttribute('aria-valuetext')) ?? '')) break
      await page.keyboard.press('ArrowLeft')
    }
    expect(await slider.getAttribute('aria-valuetext')).toMatch(/: \d+ calls?, \d+ failed/)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Wire' }).waitFor()
    expect(decodeURIComponent(page.url())).toMatch(/filter=since:\S+Z\+until:\S+Z/)
    await page
      .getByRole('row', { name: /faulty_echo/ })
      .first()
      .waitFor()

    await opened.go('/')
    await page.getByLabel('Range').selectOption('24h')
    await page.getByText(/^\d+ calls, \d+ failed$/).waitFor()
    await page
      .getByRole('grid', { name: 'Load by target' })
      .getByRole('row', { name: /faulty/ })
      .click()
    await expect.poll(() => page.getByRole('combobox', { name: 'Target' }).inputValue()).toBe('faulty')
    await page.getByText(/^3 calls, 3 failed$/).waitFor()
    expect(await axe(page)).toEqual([])
  })

  it('folds the way to connect away once a client has come, and uses a wide screen', async () => {
    await opened.go('/')
    const endpoint = page.getByRole('button', { name: 'Copy the endpoint' })
    await endpoint.waitFor()
    await using _client = await connect(`${suite.gateway.url}/mcp`, { name: 'desk', version: '1' })
    await page.reload()
    await page.getByRole('heading', { name: 'Connect a client' }).waitFor()
    expect(await endpoint.isVisible()).toBe(false)
    await page.getByRole('heading', { name: 'Connect a client' }).click()
    await endpoint.waitFor()
    await page.setViewportSize({ width: 2400, height: 1200 })
    const right = await page
      .getByRole('grid', { name: 'Load by target' })
      .evaluate((grid) => grid.getBoundingClientRect().right)
    expect(right).toBeGreaterThan(2200)
    await expectNoOverflow(page)
    await page.setViewportSize({ width: 1280, height: 900 })
  })

  it('shows of a target what is wrong, its last lines, errors, calls and tools', async () => {
    await suite.gateway.api.call('startCall', {
      body: {
        method: 'tools/call',
        params: { name: 'crashing_say', arguments: { text: 'a line to find' } },
        client: { era: 'modern', capabilities: {} },
      },
    })
    await opened.go('/targets/crashing')
    await page.getByText('a line to find').waitFor()
    await page.getByText('No call has failed lately.').waitFor()
    const calls = page.getByRole('list', { name: 'Last calls' })
    await calls.getByRole('listitem').filter({ hasText: 'crashing_say' }).getByText('ok').waitFor()
    await page.getByRole('heading', { name: '4 tools' }).waitFor()
    await callTool('crashing_crash')
    await page
      .getByRole('list', { name: 'Last errors' })
      .getByRole('link', { name: 'crashing_crash' })
      .waitFor()
    await calls.getByRole('link', { name: 'crashing_crash' }).first().waitFor()
    await page.getByText('Error: out of luck').first().waitFor()
    // The handshake is a detail behind a tab.
    expect(await page.getByLabel('Steps').count()).toBe(0)
    expect(await page.getByRole('tab', { name: 'Now' }).getAttribute('aria-selected')).toBe('true')

    await opened.go('/targets/unset')
    await page
      .getByRole('alert')
      .getByText(/BROKEN_API_TOKEN/)
      .first()
      .waitFor()
    await page.getByText('Error: the environment variable BROKEN_API_TOKEN is not set').first().waitFor()
    expect(await axe(page)).toEqual([])
  })

  it('lists warnings and restarts among the events', async () => {
    await callTool('crashing_crash')
    await opened.go('/events')
    const table = page.getByRole('table', { name: 'Events' })
    const kinds = page.getByLabel('Events', { exact: true }).first()
    await kinds.selectOption('warn')
    const row = (target: string, text: RegExp) =>
      table.locator('tbody tr').filter({ hasText: target }).filter({ hasText: text })
    await row('unset', /failed/)
      .first()
      .waitFor()
    await row('crashing', /is tried again|has ended|exited/)
      .first()
      .waitFor()
    expect(
      await table
        .locator('tbody tr')
        .filter({ hasText: /^\S+info/ })
        .count(),
    ).toBe(0)
    await kinds.selectOption('target')
    await page.getByLabel('Find in the events').fill('crashing')
    await row('crashing', /ready/).first().waitFor()
    expect(await axe(page)).toEqual([])
    // The address has the question, and that of a target leads to its events.
    await page.reload()
    expect(await page.getByLabel('Find in the events').inputValue()).toBe('crashing')
    await opened.go('/targets/unset')
    await page.getByRole('link', { name: 'All events' }).click()
    await row('unset', /failed/)
      .first()
      .waitFor()
    expect(await table.locator('tbody tr').filter({ hasText: 'crashing' }).count()).toBe(0)
  })

  it('counts a target that runs and breaks again and again', async () => {
    const crashing = () => suite.gateway.api.call('target', { params: { name: 'crashing' } })
    const isReady = async () => (await crashing()).state === 'ready'
    while (((await crashing()).breaks?.at.length ?? 0) < 3) {
      await until(isReady, 'It runs')
      await callTool('crashing_crash')
    }
    await until(isReady, 'It runs again')
    await opened.go('/')
    const article = page
      .getByRole('region', { name: 'Needs attention' })
      .getByRole('article', { name: 'crashing' })
    await article.getByText(/Its connection broke \d times in the last ten minutes.*exit/).waitFor()
    await article.getByRole('link', { name: 'Show its log' }).click()
    await page.getByText('Error: out of luck').first().waitFor()
    await page
      .getByRole('status')
      .getByText(/Its connection broke/)
      .waitFor()
  })

  it('counts calls of anybody that wait, in the list of pages and the title, and notifies', async () => {
    const away = await suite.open()
    await away.page.context().grantPermissions(['notifications'])
    await watchNotifications(away.page)
    await away.go('/waiting')
    await away.page.getByText('Nothing waits for an answer').waitFor()
    await away.page.getByRole('button', { name: 'Notify me' }).click()
    await away.page.getByText('notifications are on').waitFor()
    await away.page.evaluate(() => Object.defineProperty(document, 'visibilityState', { value: 'hidden' }))

    let answer = (_: { action: 'accept'; content: { name: string } }): void => {}
    await using desk = await connect(`${suite.gateway.url}/mcp`, {
      name: 'desk',
      version: '1',
      elicit: () => new Promise((resolve) => (answer = resolve)),
    })
    const greeting = desk.call('new_greet')
    await expect.poll(() => away.page.title()).toBe('(1) Waiting · Gantry')
    expect(await shownNotifications(away.page)).toEqual([
      'Gantry: an answer is needed: new asks desk: What is your name?',
    ])
    const call = away.page.getByRole('list', { name: 'Calls that wait' })
    await call.getByText('What is your name?').waitFor()
    await call.getByText('Only the client that made the call can answer.').waitFor()
    await away.page
      .getByRole('navigation', { name: 'Pages' })
      .getByRole('link', { name: 'Waiting 1' })
      .waitFor()
    expect(await axe(away.page)).toEqual([])
    answer({ action: 'accept', content: { name: 'Ada' } })
    await greeting
    await expect.poll(() => away.page.title()).toBe('Waiting · Gantry')
    await away.close()
  })

  it('shows the errors of the file, not those of edits that are not saved', async () => {
    const before = await suite.gateway.readConfig()
    await opened.go('/configuration')
    await page.getByRole('textbox', { name: 'Configuration file' }).click()
    await page.keyboard.press('Control+Home')
    await page.keyboard.type('// mine\n')
    await page.getByText(/^Edited/).waitFor()
    await writeFile(suite.gateway.file, '{ "mcpServers": { "new": 3 } }')
    await page.getByRole('link', { name: 'Show it' }).click()
    const file = page.getByRole('textbox', { name: 'The file as it is' })
    await expect.poll(() => file.inputValue()).toContain('"new": 3')
    await page
      .getByRole('list', { name: 'Problems' })
      .getByText(/mcpServers.new/)
      .first()
      .waitFor()
    expect(await axe(page)).toEqual([])
    await page.getByRole('button', { name: 'Back to my edits' }).click()
    const edits = page.getByRole('textbox', { name: 'Configuration file' })
    await expect.poll(() => edits.inputValue()).toContain('// mine')
    await writeFile(suite.gateway.file, before)
    await page.getByText('the last good one is in use').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo all' }).click()
  })
})
