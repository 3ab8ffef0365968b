import { fileURLToPath } from 'node:url'
import type { Locator, Page } from 'playwright-core'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { until } from '../support/admin-gateway.ts'
import { ASKING_SERVER } from '../support/start-gateway.ts'
import { describeConsole } from './support/console-suite.ts'
import type { OpenConsole } from './support/open-console.ts'

const FORMS = fileURLToPath(new URL('../fixtures/forms-server.mjs', import.meta.url))
const config = {
  mcpServers: {
    asking: { command: process.execPath, args: [ASKING_SERVER], env: { REVISIONS: '2025-11-25' } },
    other: { command: process.execPath, args: [ASKING_SERVER] },
    forms: { command: process.execPath, args: [FORMS] },
  },
  policy: { rules: [{ allow: ['tools:asking/touch'], approve: { message: 'Look first.' } }] },
  auth: { keys: true },
  views: { desk: { use: ['other/*'], title: 'Desk' } },
}

function pathOf(page: Page): string {
  const { pathname, search } = new URL(page.url())
  return pathname.replace(/^\/console/, '') + search
}

describeConsole('what was typed and not saved', { config, entries: 16 }, (suite) => {
  let opened: OpenConsole
  let page: Page
  beforeEach(async () => {
    opened = await suite.open()
    page = opened.page
  })
  afterEach(() => opened.close())

  /** To another page and back, and then loaded again. */
  const leaveAndComeBack = async (path: string) => {
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Events' }).click()
    await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor()
    await opened.go(path)
    await page.reload()
  }
  const editor = () => page.getByRole('textbox', { name: 'Configuration of asking' })
  const typeEntry = async (entry: object) => {
    await editor().click()
    await page.keyboard.press('Control+a')
    await page.keyboard.insertText(JSON.stringify(entry))
  }
  const entryOf = async (name: string) => JSON.parse(await suite.gateway.readConfig()).mcpServers[name]
  const change = async (edit: (config: { mcpServers: Record<string, object> }) => void) => {
    const { text, revision } = await suite.gateway.api.call('config', {})
    const next = JSON.parse(text)
    edit(next)
    await suite.gateway.api.call('saveConfig', { body: { text: JSON.stringify(next), revision } })
  }

  it('stays: the text of a new target, until it is added', async () => {
    await opened.go('/add-target')
    const field = page.getByLabel('Command, URL, snippet or description')
    await field.fill(`${process.execPath} ${ASKING_SERVER}`)
    await leaveAndComeBack('/add-target')
    await expect.poll(() => field.inputValue()).toContain('asking-server')
    await page.getByRole('button', { name: 'Try it' }).click()
    await page.getByText('works', { exact: true }).waitFor()
    await page.getByLabel('Name').fill('third')
    await page.reload()
    await page.getByRole('button', { name: 'Try it' }).click()
    await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('third')
    await page.getByRole('button', { name: 'Add to the configuration' }).click()
    await page.getByRole('heading', { level: 1, name: /third/ }).waitFor()
    await opened.go('/add-target')
    expect(await field.inputValue()).toBe('')
  })

  it('stays: a new name and description in the catalog, also when another entry changes', async () => {
    const path = '/catalog?entry=other_touch&entryKind=tool'
    await opened.go(path)
    const description = page.getByLabel('Description', { exact: true })
    await description.fill('Touches the')
    await leaveAndComeBack(path)
    await expect.poll(() => description.inputValue()).toBe('Touches the')
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    expect(await description.inputValue()).toBe('')
    await description.fill('Touches the thing')
    await page.getByRole('button', { name: 'Review and save…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Save and apply' }).click()
    await page.getByText('The configuration was saved and applied.').first().waitFor()
    await leaveAndComeBack(path)
    await expect.poll(() => description.inputValue()).toBe('Touches the thing')
    expect(await page.getByRole('button', { name: 'Undo', exact: true }).count()).toBe(0)
  })

  it('stays: the entry of a target, which can be saved though another part of the file has changed', async () => {
    const path = '/targets/asking?tab=configuration'
    const before = await entryOf('asking')
    await opened.go(path)
    await typeEntry({ ...before, description: 'Mine' })
    await leaveAndComeBack(path)
    await expect.poll(() => editor().inputValue()).toContain('Mine')
    await change(({ mcpServers }) => Object.assign(mcpServers.other!, { description: 'Theirs' }))
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('asking was saved').first().waitFor()
    expect(await entryOf('asking')).toEqual({ ...before, description: 'Mine' })
    expect(await entryOf('other')).toMatchObject({ description: 'Theirs' })
    await page.reload()
    await expect.poll(() => editor().inputValue()).toContain('Mine')
    expect(await page.getByRole('button', { name: 'Undo changes' }).isDisabled()).toBe(true)
  })

  it('stays: what is typed right after an entry was saved, before it is loaded again', async () => {
    const before = await entryOf('asking')
    await opened.go('/targets/asking?tab=configuration')
    let load = (): void => {}
    const isTyped = new Promise<void>((resolve) => {
      load = resolve
    })
    let isSaved = false
    await page.route('**/api/targets/asking*', async (request) => {
      if (request.request().method() !== 'GET') isSaved = true
      else if (isSaved) await isTyped
      // The page may have cancelled it meanwhile.
      await request.continue().catch(() => {})
    })
    await typeEntry({ ...before, description: 'Saved' })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('asking was saved').first().waitFor()
    await typeEntry({ ...before, description: 'Typed since' })
    load()
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await expect.poll(() => page.getByRole('button', { name: 'Save' }).isEnabled()).toBe(true)
    expect(await editor().inputValue()).toContain('Typed since')
    expect(await page.getByText('The entry was changed elsewhere').count()).toBe(0)
    expect(await entryOf('asking')).toEqual({ ...before, description: 'Saved' })
    await page.getByRole('button', { name: 'Save' }).click()
    await expect.poll(async () => (await entryOf('asking')).description).toBe('Typed since')
  })

  it('is not saved over what another tab has saved, unless one says so', async () => {
    const path = '/targets/asking?tab=configuration'
    const before = await entryOf('asking')
    await opened.go(path)
    await typeEntry({ ...before, description: 'From the first tab' })
    const second = await page.context().newPage()
    await second.goto(page.url())
    const other = second.getByRole('textbox', { name: 'Configuration of asking' })
    await other.click()
    await second.keyboard.press('Control+a')
    await second.keyboard.insertText(JSON.stringify({ ...before, description: 'From the second tab' }))
    await second.getByRole('button', { name: 'Save' }).click()
    await second.getByText('asking was saved').first().waitFor()
    await page.getByText('The entry was changed elsewhere while you edited').waitFor()
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
    expect(await editor().inputValue()).toContain('From the first tab')
    await page.getByRole('button', { name: 'Keep my edits, over the new entry' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await expect.poll(async () => (await entryOf('asking')).description).toBe('From the first tab')
    await expect.poll(() => other.inputValue()).toContain('From the first tab')
  })

  it('stays: the edits of the whole file, with the choice between them and those of another tab', async () => {
    await opened.go('/configuration')
    const file = page.getByRole('textbox', { name: 'Configuration file' })
    const text = (await suite.gateway.readConfig()).replace('"Desk"', '"Desk of the first"')
    await file.click()
    await page.keyboard.press('Control+a')
    await page.keyboard.insertText(text)
    await change(({ mcpServers }) => Object.assign(mcpServers.other!, { description: 'Theirs again' }))
    await page.getByText('The file was changed elsewhere while you edited').waitFor()
    await leaveAndComeBack('/configuration')
    await page.getByText('The file was changed elsewhere while you edited').waitFor()
    await expect.poll(() => file.inputValue()).toContain('Desk of the first')
    await page.getByRole('button', { name: 'Take the file, drop my edits' }).click()
    await expect.poll(() => file.inputValue()).toContain('Theirs again')
    expect(await file.inputValue()).not.toContain('Desk of the first')
  })

  it('stays: a view, until it is saved or thrown away', async () => {
    await opened.go('/view?name=desk')
    const title = page.getByLabel('Title', { exact: true })
    await title.fill('Night desk')
    await leaveAndComeBack('/view?name=desk')
    await page.getByText('Your changes are not saved yet.').waitFor()
    await expect.poll(() => title.inputValue()).toBe('Night desk')
    await page.getByRole('button', { name: 'Throw them away' }).click()
    expect(await title.inputValue()).toBe('Desk')
    // What was thrown away does not come back when the file changes.
    await change((file) =>
      Object.assign((file as unknown as { views: { desk: object } }).views.desk, { title: 'Day desk' }),
    )
    await expect.poll(() => title.inputValue()).toBe('Day desk')
    expect(await page.getByText('Your changes are not saved yet.').count()).toBe(0)
  })

  it('stays: the reason of a decision, the parameters of a replay, the fields of a key', async () => {
    const { id } = await suite.gateway.api.call('startCall', {
      body: {
        method: 'tools/call',
        params: { name: 'asking_touch' },
        client: { era: 'modern', capabilities: {} },
      },
    })
    await opened.go('/approvals')
    await page.getByLabel('Reason').fill('Because')
    await leaveAndComeBack('/approvals')
    await expect.poll(() => page.getByLabel('Reason').inputValue()).toBe('Because')
    await page.getByRole('button', { name: /^Deny/ }).click()
    await until(async () => {
      const { status } = await suite.gateway.api.call('playgroundCall', { params: { id } })
      return status !== 'running' && status !== 'waiting'
    }, 'The end of the call')

    await opened.go('/wire?filter=tool:asking_touch')
    await page.getByRole('grid', { name: 'Exchanges' }).locator('tbody tr').first().click()
    await page.getByRole('button', { name: 'Edit and replay' }).click()
    const parameters = page.getByRole('dialog').getByRole('textbox', { name: 'Parameters as JSON' })
    await parameters.fill('{ "name": "other_touch" }')
    await page.reload()
    await page.getByRole('button', { name: 'Edit and replay' }).click()
    expect(JSON.parse(await parameters.inputValue())).toEqual({ name: 'other_touch' })

    await opened.go('/access')
    await page.getByRole('button', { name: 'Make a key…' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('night-shift')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Make a key…' }).click()
    expect(await page.getByRole('dialog').getByLabel('Name').inputValue()).toBe('night-shift')
    await page.getByRole('button', { name: 'Make it' }).click()
    const key = page.getByRole('dialog', { name: 'The key “night-shift”' })
    await key.waitFor()
    // It cannot be had again, so nothing but its button takes it away.
    await page.keyboard.press('Escape')
    await page.mouse.click(5, 5)
    expect(await key.isVisible()).toBe(true)
    await key.getByRole('button', { name: 'I have it' }).click()
    await key.waitFor({ state: 'detached' })
  })

  it('stays: JSON and numbers that cannot be read yet, wherever they are typed', async () => {
    const half = '{ "name": "Ada", '
    const calledBy = async (name: string) => {
      await opened.go(`/playground?kind=tool&name=${name}`)
      await page.getByRole('button', { name: 'Call', exact: true }).click()
      await page.getByLabel('Question from the server').waitFor()
    }
    const staysAt = async (path: string, field: Locator, text = half) => {
      await field.fill(text)
      await leaveAndComeBack(path)
      await expect.poll(() => field.inputValue()).toBe(text)
      expect(await field.locator('xpath=ancestor::*[.//*[@data-unreadable]][1]').count()).toBe(1)
    }
    const json = (label: string) => page.getByRole('textbox', { name: `${label} as JSON` })
    const chooseJson = (label: string) =>
      page
        .getByRole('group', { name: `${label}: form or JSON` })
        .getByRole('button', { name: 'JSON' })
        .click()

    await opened.go('/playground?kind=tool&name=forms_anything')
    await staysAt('/playground?kind=tool&name=forms_anything', json('anything'), '[1, ')
    await staysAt(
      '/playground?kind=tool&name=forms_anything',
      page.getByLabel('much', { exact: true }),
      '12e',
    )
    await chooseJson('Arguments')
    await staysAt('/playground?kind=tool&name=forms_anything', json('Arguments'))

    await opened.go('/playground?kind=tool&name=forms_choose')
    const alternatives = page.getByRole('combobox', { name: 'One of' })
    await alternatives.selectOption('By words')
    await leaveAndComeBack('/playground?kind=tool&name=forms_choose')
    await page.getByLabel('words', { exact: true }).waitFor()

    await opened.go('/playground?kind=request&name=tasks/get')
    await staysAt('/playground?kind=request&name=tasks/get', json('Parameters'))

    await calledBy('asking_greet')
    await chooseJson('Answer')
    await staysAt(pathOf(page), json('Answer'))
    await json('Answer').fill('{ "name": "Ada" }')
    await page.getByRole('button', { name: 'Accept' }).click()
    await page.getByText('Hello, Ada!').waitFor()
    // An answer that was given is kept no longer.
    expect(
      await page.evaluate(() => Object.keys(sessionStorage).filter((key) => /answer/.test(key))),
    ).toEqual([])

    await calledBy('asking_capital')
    await page.getByLabel('Write the whole result as JSON').check()
    await staysAt(pathOf(page), json('Result'))

    await opened.go('/wire?filter=tool:asking_greet')
    await page.getByRole('grid', { name: 'Exchanges' }).locator('tbody tr').last().click()
    await page.getByRole('button', { name: 'Edit and replay' }).click()
    await json('Parameters').fill(half)
    await page.reload()
    await page.getByRole('button', { name: 'Edit and replay' }).click()
    expect(await json('Parameters').inputValue()).toBe(half)
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('dialog').getByText('Not JSON yet').waitFor()
  })

  it('is what is sent: a text that cannot be read keeps the form from sending what was there before', async () => {
    await opened.go('/playground?kind=tool&name=other_touch')
    await page
      .getByRole('group', { name: 'Arguments: form or JSON' })
      .getByRole('button', { name: 'JSON' })
      .click()
    const before = (await suite.gateway.api.call('playgroundCalls', {})).calls.length
    const json = page.getByRole('textbox', { name: 'Arguments as JSON' })
    await json.fill('{ "a": ')
    await json.press('Control+Enter')
    await page.getByRole('button', { name: 'Call', exact: true }).click()
    const problem = page.getByRole('alert').filter({ hasText: 'Not JSON yet' })
    await expect.poll(() => problem.evaluate((element) => element === document.activeElement)).toBe(true)
    expect((await suite.gateway.api.call('playgroundCalls', {})).calls.length).toBe(before)
    await json.fill('{ "a": 1 }')
    await json.press('Control+Enter')
    await page.getByRole('tabpanel').getByText('touched').waitFor()
    const [last] = (await suite.gateway.api.call('playgroundCalls', {})).calls
    expect(last!.params.arguments).toEqual({ a: 1 })
  })
})
