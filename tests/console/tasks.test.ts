import { connect } from '@gantry/mcp/client'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { until } from '../support/admin-gateway.ts'
import { ASKING_SERVER } from '../support/start-gateway.ts'
import { BUSY_HOUSE } from './support/busy-house.ts'
import { describeConsole } from './support/console-suite.ts'
import { expectNoOverflow } from './support/open-console.ts'
import { keyboardOperator, phoneOperator, type Operator } from './support/operator.ts'

const HANDS = [
  ['by keyboard alone at 1280 pixels', { viewport: { width: 1280, height: 900 } }, keyboardOperator],
  ['by touch at 390 pixels', { viewport: { width: 390, height: 844 }, hasTouch: true }, phoneOperator],
] as const

describeConsole('the tasks of an operator', { config: BUSY_HOUSE, entries: 20 }, (suite) => {
  const startCall = (name: string, args: object = {}) =>
    suite.gateway.api.call('startCall', {
      body: {
        method: 'tools/call',
        params: { name, arguments: { ...args } },
        client: { era: 'modern', capabilities: { elicitation: { form: true } }, name: 'night-shift' },
      },
    })
  const stateOf = async (name: string) => (await suite.gateway.api.call('target', { params: { name } })).state

  beforeAll(async () => {
    await until(async () => {
      const { targets } = await suite.gateway.api.call('targets', {})
      return targets.filter(({ problem, state }) => problem && state !== 'disabled').length === 3
    }, 'Three broken targets')
  })

  describe.each(HANDS)('%s', (hands, options, operatorOf) => {
    let operator: Operator
    let page: Page
    const region = (name: string) => page.getByRole('region', { name })

    beforeAll(async () => {
      const opened = await suite.open({ ...options, reducedMotion: 'reduce' })
      operator = operatorOf(opened)
      page = operator.page
    })

    it('1: find why a server fails', async () => {
      await operator.goTo('Overview')
      const unset = region('Needs attention').getByRole('article', { name: 'unset' })
      await operator.press(unset.getByRole('link', { name: 'Why?' }))
      await page.getByLabel('Chain of causes').waitFor()
      await page
        .getByText(/BROKEN_API_TOKEN/)
        .first()
        .waitFor()
      await expectNoOverflow(page)
    })

    it('2: restart a server that hangs', async () => {
      await operator.goTo('Overview')
      const silent = region('Needs attention').getByRole('article', { name: 'silent' })
      await operator.press(silent.getByRole('button', { name: 'Restart' }))
      await page.getByText('silent was restarted.').first().waitFor()
    })

    it('3: read the last words of a server that crashed', async () => {
      await startCall('crashing_crash')
      await operator.goTo('Overview')
      await operator.press(page.getByRole('main').getByRole('link', { name: 'crashing', exact: true }))
      await page.getByText('Error: out of luck').first().waitFor()
      await page.getByRole('list', { name: 'Last errors' }).getByText('crashing_crash').first().waitFor()
      await until(async () => (await stateOf('crashing')) === 'ready', 'It runs again')
    })

    it('4: answer a question that a call waits for', async () => {
      const { id } = await startCall('new_greet')
      await operator.goTo('Waiting')
      const waiting = page.getByRole('list', { name: 'Calls that wait' })
      await operator.press(waiting.getByRole('link', { name: 'Answer' }))
      const question = page.getByLabel('Question from the server')
      await operator.type(question.getByLabel('name'), 'Ada')
      await operator.press(question.getByRole('button', { name: 'Accept' }))
      await page.getByRole('tabpanel').getByText('Hello, Ada!').waitFor()
      expect(await suite.gateway.api.call('playgroundCall', { params: { id } })).toMatchObject({
        status: 'ok',
      })
    })

    it('5: call a tool with arguments', async () => {
      await operator.goTo('Playground')
      await operator.type(page.getByRole('searchbox', { name: 'Find something to call' }), 'crashing_change')
      const entry = page
        .getByRole('list', { name: 'Entries' })
        .getByRole('button', { name: /crashing_change/ })
      await operator.press(entry)
      await operator.type(page.getByLabel('path'), '/tmp/notes')
      await operator.press(page.getByRole('button', { name: 'Call', exact: true }))
      await page.getByRole('tabpanel').getByText('done').waitFor()
    })

    it('6: find who called a tool', async () => {
      await using desk = await connect(`${suite.gateway.url}/mcp`, { name: 'front-desk', version: '1' })
      await desk.call('new_touch')
      await operator.goTo('Wire')
      await operator.type(page.getByLabel('Filter exchanges'), 'tool:new_touch client:front-desk')
      const row = page
        .getByRole('grid', { name: 'Exchanges' })
        .getByRole('row', { name: /new_touch/ })
        .first()
      await row.getByText('front-desk').first().waitFor()
      await expectNoOverflow(page)
    })

    it('7: see only the failed calls of one server', async () => {
      for (let count = 0; count < 3; count += 1) await startCall('faulty_echo')
      await operator.goTo('Overview')
      const faulty = region('Needs attention').getByRole('article', { name: 'faulty' })
      await operator.press(faulty.getByRole('link', { name: 'Show the failed calls' }))
      const rows = page.getByRole('grid', { name: 'Exchanges' }).getByRole('row', { name: /faulty_echo/ })
      await rows.first().waitFor()
    })

    it('8: find out what a caller waits for, and cancel it', async () => {
      const { id } = await startCall('crashing_hang')
      await operator.goTo('Clients')
      await operator.press(page.getByRole('button', { name: /Cancel/ }).first())
      await until(async () => {
        const { status } = await suite.gateway.api.call('playgroundCall', { params: { id } })
        return status !== 'running'
      }, 'The end of the call')
    })

    it('9: hide a tool', async () => {
      await operator.goTo('Catalog')
      await operator.type(page.getByRole('searchbox'), 'crashing_say')
      const entry = page.getByRole('list', { name: 'Entries' }).getByRole('button', { name: /crashing_say/ })
      await operator.press(entry)
      await operator.press(page.getByRole('switch', { name: 'Shown to clients' }))
      await operator.press(page.getByRole('dialog').getByRole('button', { name: 'Save and apply' }))
      await page.getByRole('link', { name: 'Why is it hidden?' }).waitFor()
      expect(await suite.gateway.readConfig()).toContain('"say"')
    })

    it('10: roll the configuration back', async () => {
      await operator.goTo('Configuration')
      await operator.press(page.getByRole('button', { name: 'History…' }))
      const dialog = page.getByRole('dialog', { name: 'Files that were in use' })
      await dialog.getByText('"say"').first().waitFor()
      await operator.press(dialog.getByRole('button', { name: 'Go back to this one' }))
      await dialog.waitFor({ state: 'detached' })
      expect(await suite.gateway.readConfig()).not.toContain('"say"')
    })

    it('11: learn why a tool is missing', async () => {
      await operator.goTo('Why')
      await operator.type(page.getByLabel('Name of a tool, prompt, resource or target'), 'missing_tool')
      await page.getByLabel('Chain of causes').waitFor()
      await page
        .getByText(/no-such-command-anywhere/)
        .first()
        .waitFor()
    })

    it('12: stop a server and start it again', async () => {
      await operator.goTo('Overview')
      await operator.press(page.getByRole('main').getByRole('link', { name: 'old', exact: true }))
      await operator.press(page.getByRole('button', { name: 'Stop' }))
      await page.getByText('It was stopped by hand.').waitFor()
      await operator.press(page.getByRole('button', { name: 'Start', exact: true }))
      await until(async () => (await stateOf('old')) === 'ready', 'It runs again')
    })

    it('13: try a new server, add it and take it out', async () => {
      const name = hands.includes('keyboard') ? 'typed' : 'touched'
      await operator.goTo('Overview')
      await operator.press(page.getByRole('main').getByRole('button', { name: 'Add target' }))
      const entry = { mcpServers: { [name]: { command: process.execPath, args: [ASKING_SERVER] } } }
      await operator.type(
        page.getByRole('textbox', { name: 'Command, URL, snippet or description' }),
        JSON.stringify(entry),
      )
      await operator.press(page.getByRole('button', { name: 'Try it' }))
      await page.getByText('works', { exact: true }).waitFor()
      await operator.press(page.getByRole('button', { name: /^(Save|Add)/ }).first())
      await until(async () => (await suite.gateway.readConfig()).includes(`"${name}"`), 'The new entry')
      await page.getByRole('heading', { level: 1, name }).waitFor()
      await operator.openTab(page.getByRole('tab', { name: 'Configuration' }))
      await operator.press(page.getByRole('button', { name: 'Remove…' }))
      await operator.press(page.getByRole('dialog').getByRole('button', { name: 'Remove' }))
      await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
      expect(await suite.gateway.readConfig()).not.toContain(`"${name}"`)
    })

    it('14: look at the load of a moment and the calls behind it', async () => {
      await operator.goTo('Overview')
      await operator.choose(page.getByRole('combobox', { name: 'Range' }), 'Last hour')
      await page.getByText(/^\d+ calls, \d+ failed$/).waitFor()
      await operator.press(page.getByRole('link', { name: 'Only the failed' }))
      await page
        .getByRole('grid', { name: 'Exchanges' })
        .getByRole('row', { name: /faulty_echo/ })
        .first()
        .waitFor()
    })

    it('15: compare a slow with a fast call', async () => {
      await startCall('new_touch')
      await operator.goTo('Wire')
      await operator.type(page.getByLabel('Filter exchanges'), 'tool:greet,touch method:tools/call')
      const rows = page.getByRole('grid', { name: 'Exchanges' }).locator('tbody tr')
      await operator.press(rows.filter({ hasText: 'new_greet' }).first())
      await operator.press(page.getByRole('button', { name: 'Compare' }))
      await page.getByText(/Choose the exchange to compare with/).waitFor()
      await operator.press(rows.filter({ hasText: 'new_touch' }).first())
      const compared = page.getByRole('region', { name: /^Exchanges \d+ and \d+$/ })
      await compared.getByText('differs').first().waitFor()
      await expectNoOverflow(page)
    })
  })
})
