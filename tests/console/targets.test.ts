import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, it } from 'vitest'
import { until } from '../support/admin-gateway.ts'
import { ASKING_SERVER } from '../support/start-gateway.ts'
import { describeConsole } from './support/console-suite.ts'
import { axe, type OpenConsole } from './support/open-console.ts'

const FAULTY = fileURLToPath(new URL('../fixtures/faulty-server.mjs', import.meta.url))
const node = JSON.stringify(process.execPath)

const CONFIG = `// Kept by hand
{
  "stateDir": "./state",
  "mcpServers": {
    // the one that asks
    "asking": { "command": ${node}, "args": [${JSON.stringify(ASKING_SERVER)}] }, // trailing words
    "dying": { "command": ${node}, "args": [${JSON.stringify(FAULTY)}, "none"] },
    "broken": { "command": ${node}, "args": [${JSON.stringify(FAULTY)}, "exit-at-once"] }
  }
}
`

describeConsole('targets in the console', { config: CONFIG }, (suite) => {
  let opened: OpenConsole

  beforeAll(async () => {
    opened = await suite.open()
  })

  it('explains a target that fails: the step, what happened, its stderr and the fix', async () => {
    const { page, go } = opened
    await go('/targets/broken')
    await page.getByRole('alert').first().waitFor()
    await page
      .getByLabel('Events')
      .getByText(/exited|failed/)
      .first()
      .waitFor()
    await page.getByText('this server has no configuration').first().waitFor()
    await page.getByRole('tab', { name: 'Handshake' }).click()
    await page.locator('[data-step="spawn"], [data-step="probe"], [data-step="initialize"]').first().waitFor()
    await page.locator('[data-status="failed"]').first().waitFor()
    await page.getByRole('alert').first().waitFor()
    await page.getByRole('tab', { name: 'Log (stderr)' }).click()
    await page.getByText('this server has no configuration').first().waitFor()
    await go('/why?name=broken_tool')
    await page.locator('[data-code="target-failing"]').waitFor()
    expect(await axe(page)).toEqual([])
  })

  it('adds what was pasted once it was tried, edits it and takes it out; comments stay', async () => {
    const { page, go } = opened
    await go('/add-target')
    await page.getByLabel('Command, URL, snippet or description').fill(`${process.execPath} ${ASKING_SERVER}`)
    await page.getByRole('button', { name: 'Try it' }).click()
    await page.getByText('works', { exact: true }).waitFor()
    await page.getByText('greet', { exact: true }).waitFor()
    expect(await axe(page)).toEqual([])
    await page.getByLabel('Name').fill('pasted')
    await page.getByRole('button', { name: 'Add to the configuration' }).click()
    await page.getByRole('heading', { level: 1, name: /pasted/ }).waitFor()
    const withPasted = await suite.gateway.readConfig()
    expect(withPasted).toContain('"pasted"')
    expectComments(withPasted)

    await go('/targets/pasted?tab=configuration')
    const editor = page.getByRole('textbox', { name: 'Configuration of pasted' })
    await editor.click()
    await page.keyboard.press('Control+a')
    const entry = { command: process.execPath, args: [ASKING_SERVER], env: { REVISIONS: '2025-11-25' } }
    await page.keyboard.insertText(JSON.stringify(entry))
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('pasted was saved').first().waitFor()
    const edited = await suite.gateway.readConfig()
    expect(edited).toContain('2025-11-25')
    expectComments(edited)
    await go('/targets/pasted')
    await page.getByText('legacy 2025-11-25').first().waitFor()

    await go('/targets/pasted?tab=configuration')
    await page.getByRole('button', { name: 'Remove…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    const removed = await suite.gateway.readConfig()
    expect(removed).not.toContain('"pasted"')
    expectComments(removed)
    await page.getByRole('link', { name: 'pasted' }).waitFor({ state: 'detached' })
  })

  it('leaves a person who has gone elsewhere there when the save ends', async () => {
    const { page, go } = opened
    await go('/add-target')
    await page.getByLabel('Command, URL, snippet or description').fill(`${process.execPath} ${ASKING_SERVER}`)
    await page.getByRole('button', { name: 'Try it' }).click()
    await page.getByText('works', { exact: true }).waitFor()
    await page.getByLabel('Name').fill('late')
    let leave = () => {}
    const hasLeft = new Promise<void>((resolve) => {
      leave = resolve
    })
    await page.route('**/api/targets', async (route) => {
      await hasLeft
      await route.continue()
    })
    await page.getByRole('button', { name: 'Add to the configuration' }).click()
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Wire' }).click()
    await page.getByRole('heading', { level: 1, name: 'Wire' }).waitFor()
    leave()
    await page.getByText('late was added.').first().waitFor()
    await page.unroute('**/api/targets')
    // The way to another page would follow the answer that fills the overview again.
    await page.evaluate(() => new Promise((done) => setTimeout(done, 500)))
    await page.getByRole('heading', { level: 1, name: 'Wire' }).waitFor({ timeout: 1_000 })
  })

  it('says what is wrong with what was pasted, and saves nothing by itself', async () => {
    const { page, go } = opened
    await go('/add-target')
    await page.getByLabel('Command, URL, snippet or description').fill('no-such-command-anywhere --flag')
    await page.getByRole('button', { name: 'Try it' }).click()
    await page.getByText('failed', { exact: true }).first().waitFor()
    await page
      .getByText(/which no-such-command-anywhere/)
      .first()
      .waitFor()
    expect(await suite.gateway.readConfig()).not.toContain('no-such-command')
  })

  it('shows a crash and the recovery as they happen', async () => {
    const { page, go } = opened
    await go('/targets/dying?tab=stderr')
    await page.getByRole('button', { name: /^Restart$/ }).waitFor()
    await until(
      async () => (await suite.gateway.api.call('target', { params: { name: 'dying' } })).state === 'ready',
    )
    const { id } = await suite.gateway.api.call('startCall', {
      body: {
        method: 'tools/call',
        params: { name: 'dying_die' },
        client: { era: 'modern', capabilities: {} },
      },
    })
    await page.getByText('out of memory, says the server').first().waitFor()
    await page.getByText('1 restart').waitFor()
    await page.getByText('ready', { exact: true }).first().waitFor()
    expect((await suite.gateway.api.call('playgroundCall', { params: { id } })).status).not.toBe('ok')
  })

  it('stops and starts a target', async () => {
    const { page, go } = opened
    await go('/targets/asking')
    await page.getByText('ready', { exact: true }).first().waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('stopped', { exact: true }).first().waitFor()
    await page.getByRole('button', { name: 'Start' }).click()
    await page.getByText('ready', { exact: true }).first().waitFor()
    await page.getByRole('tab', { name: 'Processes' }).click()
    await page.getByText(join('fixtures', 'asking-server.mjs')).first().waitFor()
  })

  it('ends a question whose target is taken out of the file, wherever it is shown', async () => {
    const { page, go } = opened
    await go('/playground?kind=tool&name=asking_greet')
    await page.getByRole('button', { name: 'Call', exact: true }).click()
    const question = page.getByLabel('Question from the server')
    await question.getByLabel('name').fill('Ada')
    const other = await suite.open()
    await other.go('/waiting')
    await other.page.getByRole('link', { name: 'Answer' }).waitFor()

    const text = await suite.gateway.readConfig()
    await writeFile(suite.gateway.file, text.replace(/^ *"asking": .*\n/m, ''))
    await page.getByRole('alert').getByText('Target "asking" is off: it was removed').waitFor()
    await question.waitFor({ state: 'detached' })
    await expect.poll(() => page.getByText('waits for you').count()).toBe(0)
    await other.page.getByText('Nothing waits for an answer').waitFor()
    await other.close()
  })
})

function expectComments(text: string): void {
  expect(text).toContain('// Kept by hand')
  expect(text).toContain('// the one that asks')
  expect(text).toContain('// trailing words')
}
