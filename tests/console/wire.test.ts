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
    const row = page.getByRole('list', { name: 'Exchanges' }).getByRole('button', { name: /old_greet/ })
    await row.last().click()
    await page.getByLabel('Waterfall').waitFor()
    await page.locator('[data-hop="client"]').first().waitFor()
    await page.locator('[data-hop="target"]').first().waitFor()
    await page.getByText('elicitation/create', { exact: false }).first().waitFor()
    await page.getByText('input_required').first().waitFor()
    expect(await axe(page)).toEqual([])
    expect(complaints).toEqual([])
    await close()
  }, 60_000)

  it('filters, pauses, exports and replays', async () => {
    const { page, go, close } = await suite.open()
    await go('/wire')
    await page.getByText('live', { exact: true }).first().waitFor()
    await start('new_touch')
    const rows = page.getByRole('list', { name: 'Exchanges' }).getByRole('button')
    await rows.filter({ hasText: 'new_touch' }).first().waitFor()
    await page.getByRole('searchbox').fill('tool:touch status:ok -target:old')
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
      page.getByRole('button', { name: 'Export' }).click(),
    ])
    const lines = (await readFile((await download.path())!, 'utf8')).trim().split('\n')
    expect(lines.map((line) => (JSON.parse(line) as WireRecord).name)).toContain('new_touch')
    await rows.first().click()
    await page.getByRole('button', { name: 'Replay', exact: true }).click()
    await page.getByRole('heading', { name: 'Playground' }).waitFor()
    await page.getByRole('tabpanel').getByText('touched').waitFor()
    await close()
  }, 60_000)

  it('replays with what was edited, and never with what cannot be read', async () => {
    const { page, go, complaints, close } = await suite.open()
    await go('/wire')
    await page.getByText('live', { exact: true }).first().waitFor()
    await start('new_touch')
    const rows = page.getByRole('list', { name: 'Exchanges' }).getByRole('button')
    await rows.filter({ hasText: 'new_touch' }).first().click()
    await page.getByRole('button', { name: 'Edit and replay' }).click()
    const dialog = page.getByRole('dialog', { name: 'Replay tools/call' })
    const editor = dialog.getByRole('textbox', { name: 'Parameters as JSON' })
    const send = dialog.getByRole('button', { name: 'Send' })
    await expect.poll(() => editor.textContent()).toContain('new_touch')
    expect(JSON.parse((await editor.textContent())!)).toMatchObject({ name: 'new_touch' })
    for (const [text, hint] of [
      ['{ "name": ', /Not JSON yet/],
      ['', /are a JSON object/],
      ['["new_grow"]', /are a JSON object/],
    ] as const) {
      await editor.fill(text)
      await dialog.getByRole('alert').filter({ hasText: hint }).waitFor()
      expect([text, await send.isDisabled()]).toEqual([text, true])
    }
    await editor.fill('{ "name": "new_grow" }')
    expect(await axe(page)).toEqual([])
    await send.click()
    await page.getByRole('heading', { name: 'Playground' }).waitFor()
    await page.getByRole('tabpanel').getByText('grown').waitFor()
    expect(complaints).toEqual([])
    await close()
  }, 120_000)
})
