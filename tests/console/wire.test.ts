import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import type { WireRecord } from '../../packages/gateway/src/admin/contract.ts'
import { until } from '../support/admin-gateway.ts'
import { BOTH_ERAS } from '../support/start-gateway.ts'
import { describeConsole } from './support/console-suite.ts'
import { axe } from './support/open-console.ts'

describeConsole('the wire', { config: BOTH_ERAS, entries: 16 }, (suite) => {
  const start = (name: string) =>
    suite.gateway.api.call('startCall', {
      body: {
        method: 'tools/call',
        params: { name },
        client: { era: 'modern', capabilities: { elicitation: { form: true } }, name: 'tester' },
      },
    })

  it('shows a bridged call live: both hops, the waterfall and what was translated', async () => {
    const { page, complaints, close } = await suite.open()
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: /^Wire/ }).click()
    await page.getByText('Record messages').waitFor()
    await page.getByText('live', { exact: true }).first().waitFor()
    const { id } = await start('old_greet')
    const asked = await until(async () => {
      const [question] = (await suite.gateway.api.call('playgroundCall', { params: { id } })).questions
      return question
    }, 'The question')
    await suite.gateway.api.call('answerQuestion', {
      params: { id },
      body: { question: asked.id, answer: { action: 'accept', content: { name: 'Ada' } } },
    })
    const row = page.getByRole('grid', { name: 'Exchanges' }).getByRole('row', { name: /old_greet/ })
    await row.last().click()
    await page.getByLabel('Waterfall').waitFor()
    await page.locator('[data-hop="client"]').first().waitFor()
    await page.locator('[data-hop="target"]').first().waitFor()
    await page.getByText('elicitation/create', { exact: false }).first().waitFor()
    await page.getByText('input_required').first().waitFor()
    expect(await axe(page)).toEqual([])
    // The list beside it has room for all that it shows.
    const list = page.getByRole('grid', { name: 'Exchanges' }).locator('..')
    for (const width of [1100, 1920, 2400, 1280]) {
      await page.setViewportSize({ width, height: 900 })
      const hidden = () => list.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)
      await expect.poll(async () => [width, await hidden()]).toEqual([width, 0])
    }
    expect(complaints).toEqual([])
    await close()
  })

  it('filters, pauses, exports and replays', async () => {
    const { page, go, close } = await suite.open()
    await go('/wire')
    await page.getByText('live', { exact: true }).first().waitFor()
    await start('new_touch')
    const rows = page.getByRole('grid', { name: 'Exchanges' }).locator('tbody tr')
    await rows.filter({ hasText: 'new_touch' }).first().waitFor()
    await page.getByLabel('Filter exchanges').fill('tool:touch status:ok -target:old')
    await until(
      async () => (await rows.allTextContents()).every((text) => text.includes('new_touch')),
      'The filter',
    )
    await page.getByRole('button', { name: 'Pause' }).click()
    const before = await rows.count()
    await start('new_touch')
    await page.getByRole('button', { name: /Go on \(/ }).waitFor()
    expect(await rows.count()).toBe(before)
    await page.getByRole('button', { name: /Go on/ }).click()
    await until(async () => (await rows.count()) > before, 'The new exchange')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export', exact: true }).click(),
    ])
    const lines = (await readFile((await download.path())!, 'utf8')).trim().split('\n')
    expect(lines.map((line) => (JSON.parse(line) as WireRecord).name)).toContain('new_touch')
    await rows.first().click()
    await page.getByRole('button', { name: 'Replay', exact: true }).click()
    await page.getByRole('heading', { name: 'Playground' }).waitFor()
    await page.getByRole('tabpanel').getByText('touched').waitFor()
    await close()
  })

  it('sorts by its titles, and leaves rows where they are while one reads', async () => {
    const { page, go, close } = await suite.open()
    await go('/wire?filter=method:tools/call')
    await page.getByText('live', { exact: true }).first().waitFor()
    for (let count = 0; count < 30; count++) await start(count % 2 === 0 ? 'new_touch' : 'old_touch')
    const table = page.getByRole('grid', { name: 'Exchanges' })
    const rows = table.locator('tbody tr')
    await until(async () => Number(await table.getAttribute('aria-rowcount')) >= 31, 'The exchanges')
    await table.getByRole('button', { name: 'Tool' }).click()
    await until(async () => /new_touch/.test((await rows.first().textContent())!), 'The first tool')
    await page.keyboard.press('Enter')
    await until(async () => /old_touch/.test((await rows.first().textContent())!), 'The last tool')
    expect(await table.getByRole('columnheader', { name: 'Tool' }).getAttribute('aria-sort')).toBe(
      'descending',
    )
    expect(page.url()).toContain('sort=-tool')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Enter')
    await until(async () => page.url().includes('sort=-time'), 'The newest first')
    await rows.nth(5).focus()
    const key = (await rows.nth(5).getAttribute('data-key'))!
    const place = () => table.locator(`tr[data-key="${key}"]`).boundingBox()
    const before = await place()
    for (let count = 0; count < 3; count++) await start('new_touch')
    // Calls of before may still come in.
    const newRows = page.getByRole('button', { name: /^\d+ new rows above/ })
    await newRows.waitFor()
    expect(await place()).toEqual(before)
    await newRows.click()
    await until(async () => (await place())!.y > before!.y, 'The new rows')
    await close()
  })

  it('narrows by facets, completes the filter, and saves views', async () => {
    const { page, go, close } = await suite.open()
    await go('/wire')
    await page.getByText('live', { exact: true }).first().waitFor()
    await start('new_touch')
    const table = page.getByRole('grid', { name: 'Exchanges' })
    const rows = table.locator('tbody tr')
    await rows.filter({ hasText: 'new_touch' }).first().waitFor()
    for (const title of ['Time', 'Client', 'Target', 'Tool', 'Status', 'Gateway ms', 'Target ms', 'Bytes'])
      expect(await table.getByRole('columnheader', { name: title, exact: true }).count()).toBe(1)
    await page
      .getByRole('group', { name: 'method' })
      .getByRole('button', { name: /tools\/call/ })
      .click()
    const field = page.getByLabel('Filter exchanges')
    expect(await field.inputValue()).toBe('method:tools/call')
    await until(
      async () => !(await rows.allTextContents()).some((text) => text.includes('discover')),
      'The facet',
    )
    await field.fill('method:tools/call tool:new_t')
    const completions = page.locator('datalist option')
    await until(async () => (await completions.count()) === 1, 'The completion')
    expect(await completions.getAttribute('value')).toBe('method:tools/call tool:new_touch')
    await field.fill('tool:new_touch')
    await page.getByRole('button', { name: 'Save view' }).click()
    await page.getByLabel('Name of the view').fill('Touches')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Everything' }).click()
    expect(await field.inputValue()).toBe('')
    await page.reload()
    await page.getByRole('button', { name: 'Touches', exact: true }).click()
    expect(await field.inputValue()).toBe('tool:new_touch')
    expect(await axe(page)).toEqual([])
    await page.getByRole('button', { name: 'Forget the view Touches' }).click()
    await close()
  })

  it('compares two exchanges by keyboard, and shows what a session did', async () => {
    const { page, go, complaints, close } = await suite.open()
    await go('/wire?filter=method:tools/call')
    await page.getByText('live', { exact: true }).first().waitFor()
    await start('new_touch')
    await start('old_touch')
    const table = page.getByRole('grid', { name: 'Exchanges' })
    const row = (name: string) => table.locator('tbody tr').filter({ hasText: name }).first()
    await row('old_touch').waitFor()
    await row('new_touch').focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Compare' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText(/Choose the exchange to compare with/).waitFor()
    await row('old_touch').focus()
    await page.keyboard.press('Enter')
    const compared = page.getByRole('region', { name: /^Exchanges \d+ and \d+$/ })
    const tool = compared
      .getByRole('table', { name: 'Facts' })
      .getByRole('row')
      .filter({ hasText: 'old_touch' })
    await tool.getByText('differs').waitFor()
    expect(await tool.textContent()).toContain('new_touch')
    expect(await compared.getByLabel('Waterfall').count()).toBe(2)
    expect(await axe(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: /Timeline of this/ }).click()
    const timeline = page.getByRole('grid', { name: 'Timeline' })
    await timeline
      .getByRole('img', { name: /touch took/ })
      .first()
      .waitFor()
    await page.getByLabel('Session').waitFor()
    expect(await axe(page)).toEqual([])
    const order = page.getByRole('combobox', { name: 'Sort by' })
    await order.selectOption('tool')
    await expect.poll(() => order.inputValue()).toBe('tool')
    expect(complaints).toEqual([])
    await close()
  })

  it('shows the exchanges of a file: an export, or an HTTP archive', async () => {
    const { page, go, complaints, close } = await suite.open()
    await go('/wire?filter=tool:new_touch')
    await page.getByText('live', { exact: true }).first().waitFor()
    await start('new_touch')
    const rows = page.getByRole('grid', { name: 'Exchanges' }).locator('tbody tr')
    await rows.first().waitFor()
    for (const [button, name] of [
      ['Export', 'exchanges.jsonl'],
      ['Export HAR', 'exchanges.har'],
    ] as const) {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: button, exact: true }).click(),
      ])
      expect(download.suggestedFilename()).toBe(name)
      const buffer = await readFile((await download.path())!)
      await page.getByLabel('File with exchanges').setInputFiles({ name, mimeType: 'text/plain', buffer })
      await page.getByRole('button', { name: `Leave ${name}` }).waitFor()
      await page.getByText(/^(\d+) of \1$/).waitFor()
      await rows.first().click()
      await page.getByLabel('Waterfall').waitFor()
      expect(await page.getByRole('button', { name: 'Replay', exact: true }).isDisabled()).toBe(true)
      await page.getByRole('button', { name: 'Close' }).click()
      await page.getByRole('button', { name: `Leave ${name}` }).click()
      await page.getByRole('button', { name: 'Pause' }).waitFor()
    }
    const exchange = {
      id: 1,
      at: Date.now(),
      method: 'ping',
      client: { revision: '' },
      status: 'ok',
      hops: [],
    }
    const broken = [
      { ...exchange, name: { not: 'a text' } },
      { ...exchange, at: 1e300 },
      { ...exchange, hops: [{ type: 'attack' }] },
      exchange,
      exchange,
    ]
    const buffer = Buffer.from(broken.map((one) => JSON.stringify(one)).join('\n'))
    await go('/wire')
    await page
      .getByLabel('File with exchanges')
      .setInputFiles({ name: 'broken.jsonl', mimeType: 'text/plain', buffer })
    await page.getByText('2 of 2').waitFor()
    await rows.first().click()
    await page.getByText('No messages were kept').waitFor()
    expect(complaints).toEqual([])
    const file = { name: 'x.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') }
    await page.getByLabel('File with exchanges').setInputFiles(file)
    await page.getByText('No exchanges were found in this file').waitFor()
    await close()
  })

  it('opens on what failed before it was opened, and on questions that were refused', async () => {
    const { page, go, close } = await suite.open()
    await go('/')
    await page.getByText('live', { exact: true }).first().waitFor()
    await suite.gateway.api.call('startCall', {
      body: {
        method: 'tools/call',
        params: { name: 'old_greet', arguments: { remark: 'before' } },
        client: { era: 'legacy', capabilities: {} },
      },
    })
    await until(
      async () =>
        (await suite.gateway.api.call('wire', { query: { filter: 'status:refused' } })).records.length > 0,
      'The refusal',
    )
    await go('/wire')
    await page.getByRole('button', { name: 'Failures' }).click()
    const rows = page.getByRole('grid', { name: 'Exchanges' }).locator('tbody tr')
    await rows.filter({ hasText: 'old_greet' }).first().click()
    await page.getByText('remark').first().waitFor()
    await rows.filter({ hasText: 'refused' }).first().click()
    await page.getByRole('alert').getByText('The client did not declare the elicitation capability').waitFor()
    expect(await axe(page)).toEqual([])
    await close()
  })

  it('counts calls, failures and times of each tool, and leads to its calls', async () => {
    await start('new_touch')
    const { page, go, complaints, close } = await suite.open()
    await go('/tools?sort=-calls')
    const table = page.getByRole('grid', { name: 'Tools' })
    const row = table.locator('tbody tr').filter({ hasText: 'new_touch' })
    await until(
      async () => /\d ms|<1 ms/.test((await row.textContent().catch(() => '')) ?? ''),
      'The figures',
    )
    await table.locator('tbody tr').filter({ hasText: 'never' }).first().waitFor()
    await page.getByLabel('Callers').selectOption('By client')
    await table.getByRole('columnheader', { name: 'Caller' }).waitFor()
    await page.getByLabel('Range').selectOption('Last week')
    await row
      .filter({ hasText: /\d+ in, \d+ out/ })
      .first()
      .waitFor()
    await page.getByLabel('Callers').selectOption('All callers together')
    await page.getByLabel('Tools', { exact: true }).first().selectOption('used')
    await until(async () => !(await table.textContent())!.includes('never'), 'The tools in use')
    expect(await axe(page)).toEqual([])
    await row.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Wire' }).waitFor()
    expect(await page.getByLabel('Filter exchanges').inputValue()).toBe('tool:new_touch target:new')
    expect(complaints).toEqual([])
    await close()
  })

  it('replays with what was edited, and never with what cannot be read', async () => {
    const { page, go, complaints, close } = await suite.open()
    await go('/wire')
    await page.getByText('live', { exact: true }).first().waitFor()
    await start('new_touch')
    const rows = page.getByRole('grid', { name: 'Exchanges' }).locator('tbody tr')
    await rows.filter({ hasText: 'new_touch' }).first().click()
    await page.getByRole('button', { name: 'Edit and replay' }).click()
    const dialog = page.getByRole('dialog', { name: 'Replay tools/call' })
    const editor = dialog.getByRole('textbox', { name: 'Parameters as JSON' })
    const send = dialog.getByRole('button', { name: 'Send' })
    await expect.poll(() => editor.inputValue()).toContain('new_touch')
    expect(JSON.parse(await editor.inputValue())).toMatchObject({ name: 'new_touch' })
    for (const [text, hint] of [
      ['', /are a JSON object/],
      ['["new_grow"]', /are a JSON object/],
    ] as const) {
      await editor.fill(text)
      await dialog.getByRole('alert').filter({ hasText: hint }).waitFor()
      expect([text, await send.isDisabled()]).toEqual([text, true])
    }
    await editor.fill('{ "name": "new_touch" }')
    await editor.fill('{ "name": ')
    await send.click()
    const problem = dialog.getByRole('alert').filter({ hasText: /Not JSON yet/ })
    await expect.poll(() => problem.evaluate((alert) => alert === document.activeElement)).toBe(true)
    await editor.fill('{ "name": "new_grow" }')
    expect(await axe(page)).toEqual([])
    await send.click()
    await page.getByRole('heading', { name: 'Playground' }).waitFor()
    await page.getByRole('tabpanel').getByText('grown').waitFor()
    expect(complaints).toEqual([])
    await close()
  })
})
