import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { expectObjections } from '../../packages/mcp/src/testing/fixtures/objections.test.support.ts'
import { until } from '../support/admin-gateway.ts'
import { describeConsole } from './support/console-suite.ts'
import { expectNoOverflow } from './support/open-console.ts'
import { watchAttacks } from './support/watch-attacks.ts'

const HOSTILE = fileURLToPath(new URL('../fixtures/hostile-server.mjs', import.meta.url))
const LONG_NAMES = fileURLToPath(new URL('../fixtures/long-names-server.mjs', import.meta.url))
const LONG = 'n'.repeat(1000)
const ATTACK = '<img src=x onerror="globalThis.__attacked = 20">'
const STRANGE = '<img src=x onerror=alert(1)>'

const OPENAPI = {
  openapi: '3.1.0',
  info: { title: ATTACK, version: '1', description: ATTACK },
  servers: [{ url: 'https://attacker.invalid' }],
  paths: {
    '/thing': {
      get: {
        operationId: 'thing',
        summary: ATTACK,
        description: `${ATTACK} [x](javascript:globalThis.__attacked=21)`,
        parameters: [{ name: ATTACK, in: 'query', description: ATTACK, schema: { type: 'string' } }],
        responses: { 200: { description: ATTACK } },
      },
    },
  },
}

const config = {
  mcpServers: {
    hostile: { command: process.execPath, args: [HOSTILE], description: ATTACK },
    [STRANGE]: { command: ATTACK },
    long: { command: process.execPath, args: [LONG_NAMES] },
  },
}

describeConsole('what is hostile', { config, entries: 11 }, (suite) => {
  const open = async () => {
    const opened = await suite.open()
    const { expectCalm } = watchAttacks(opened.page, suite.gateway.url)
    return {
      ...opened,
      expectCalm,
      async visit(path: string) {
        await opened.go(path)
        await opened.page.getByText('live', { exact: true }).locator('visible=true').first().waitFor()
        await until(
          async () => (await opened.page.getByRole('status', { name: 'Loading' }).count()) === 0,
          `${path} loading`,
        )
        await expectCalm(path)
      },
      async end() {
        // What does not exist is answered with 404, which browsers report.
        expect(opened.complaints.filter((text) => !/404|400/.test(text))).toEqual([])
        await opened.close()
      },
    }
  }

  it('would be noticed', async () => {
    const { page, expectCalm, close } = await suite.open().then((opened) => ({
      ...opened,
      ...watchAttacks(opened.page, suite.gateway.url),
    }))
    await expectCalm('before')
    await page.evaluate((html) => document.body.insertAdjacentHTML('beforeend', html), ATTACK)
    await expect(expectCalm('after')).rejects.toThrow(/deeply equal/)
    await close()
  })

  it('is shown as text on every page: names, descriptions, schemas, stderr, the configuration', async () => {
    const { visit, end } = await open()
    const { entries } = await suite.gateway.api.call('catalog', { query: {} })
    const strange = encodeURIComponent(STRANGE)
    const tabs = ['now', 'handshake', 'stderr', 'processes', 'capabilities', 'configuration']
    for (const path of [
      '/',
      ...tabs.flatMap((tab) => [`/targets/hostile?tab=${tab}`, `/targets/${strange}?tab=${tab}`]),
      '/events',
      '/catalog',
      '/catalog?view=changes',
      '/catalog?view=cost',
      ...entries.map(({ kind, key }) => `/catalog?entryKind=${kind}&entry=${encodeURIComponent(key)}`),
      ...entries.map(({ kind, key }) => `/playground?kind=${kind}&name=${encodeURIComponent(key)}`),
      `/playground?kind=request&name=${strange}`,
      '/clients',
      '/configuration',
      `/why?name=${strange}`,
      '/why?name=hostile_ask',
      `/wire?filter=${strange}`,
      `/add-target?text=${strange}`,
      `/${strange}`,
    ])
      await visit(path)
    await end()
  }, 180_000)

  it('is shown as text in results and errors, in the playground and on the wire', async () => {
    // The server's content has a block of no known type, which the gateway hands on as it is.
    expectObjections(/CallToolResult\/content\/7/, 'calls the tools of a hostile server')
    const { page, visit, expectCalm, end } = await open()
    const { entries } = await suite.gateway.api.call('catalog', { query: {} })
    const quiet = entries.filter(({ kind, own }) => kind !== 'template' && own !== 'ask')
    for (const { kind, key } of quiet) {
      await visit(`/playground?kind=${kind}&name=${encodeURIComponent(key)}`)
      const verb = { tool: 'Call', prompt: 'Get', resource: 'Read', template: 'Read' }[kind]
      await page.getByRole('button', { name: verb, exact: true }).click()
      await page.getByRole('tabpanel').or(page.getByRole('alert')).first().waitFor()
      const link = page.getByRole('link', { name: /on the wire/ }).last()
      await link.waitFor()
      await expectCalm(`the result of ${key}`)
      await link.click()
      await page.getByLabel('Waterfall').or(page.getByText('No messages were kept')).first().waitFor()
      await expectCalm(`the wire of ${key}`)
    }
    await end()
  }, 180_000)

  it('is shown as text in questions, progress, logs, changes and the palette', async () => {
    // The server's content has a block of no known type, which the gateway hands on as it is.
    expectObjections(/CallToolResult\/content\/7/, 'calls the tools of a hostile server')
    const { page, visit, expectCalm, end } = await open()
    await visit('/playground?kind=tool&name=hostile_ask')
    await page.getByRole('button', { name: 'Call', exact: true }).click()
    const question = page.getByLabel('Question from the server')
    await question.getByRole('button', { name: 'Accept' }).waitFor()
    await page.getByRole('list', { name: 'Logs' }).waitFor()
    await expectCalm('a form')
    await question.getByRole('button', { name: 'Accept' }).click()
    await question.getByRole('button', { name: 'Answer' }).waitFor()
    await expectCalm('sampling')
    await question.getByLabel('Answer').fill(ATTACK)
    await question.getByRole('button', { name: 'Answer' }).click()
    await page.getByText('2 questions were answered').click()
    await expectCalm('the answers')

    await visit('/playground?kind=tool&name=hostile_change')
    await page.getByRole('button', { name: 'Call', exact: true }).click()
    await page.getByRole('tabpanel').first().waitFor()
    await until(
      async () => (await suite.gateway.api.call('catalogChanges', { query: {} })).changes.length > 0,
      'The change',
    )
    await visit('/catalog?view=changes')
    await page.getByRole('list', { name: 'Changes' }).locator('summary').first().click()
    await page.getByText('Changed:').first().waitFor()
    await expectCalm('a difference')

    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('combobox').fill('<img')
    await page.getByRole('option').first().waitFor()
    await expectCalm('the palette')
    await page.keyboard.press('Escape')
    await end()
  })

  it('is shown as text when it is a client, or pasted to be tried', async () => {
    const response = await fetch(`${suite.gateway.url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: ATTACK,
        method: 'initialize',
        params: {
          protocolVersion: '2025-11-25',
          capabilities: { experimental: { [ATTACK]: {} } },
          clientInfo: { name: ATTACK, title: ATTACK, version: ATTACK },
        },
      }),
    })
    await response.text()
    const { page, visit, expectCalm, end } = await open()
    await visit('/clients')
    await page.getByText(ATTACK).first().waitFor()
    await page.getByText('Capabilities').first().click()
    await expectCalm('a client')
    await visit('/wire')
    await page.getByRole('grid', { name: 'Exchanges' }).getByText(ATTACK).first().waitFor()
    await expectCalm('the wire')
    for (const pasted of [JSON.stringify(OPENAPI), `${process.execPath} ${HOSTILE}`, ATTACK]) {
      await visit('/add-target')
      await page.getByLabel('Command, URL, snippet or description').fill(pasted)
      await page.getByRole('button', { name: 'Try it' }).click()
      await page.getByText('works', { exact: true }).or(page.getByRole('alert')).first().waitFor()
      await expectCalm(`a trial of ${pasted.slice(0, 40)}`)
    }
    await end()
  })

  it.each([1280, 390])('fits into pages of %i pixels though names have 1,000 characters', async (width) => {
    const call = (client: string, name: string) =>
      suite.gateway.api.call('startCall', {
        body: {
          method: 'tools/call',
          params: { name },
          client: { era: 'modern', capabilities: {}, name: client },
        },
      })
    await call(LONG, 'long_fail')
    await call(LONG, 'long_turned')
    const { entries } = await suite.gateway.api.call('catalog', { query: {} })
    const { key } = entries.find(({ target, own }) => target === 'long' && own.startsWith('long_'))!
    const { page, visit, end } = await open()
    await page.setViewportSize({ width, height: 844 })
    for (const path of [
      '/',
      ...['now', 'handshake', 'stderr', 'capabilities'].map((tab) => `/targets/long?tab=${tab}`),
      '/catalog?target=long',
      `/catalog?entryKind=tool&entry=${key}`,
      '/catalog?entryKind=tool&entry=long_fill',
      '/playground?kind=tool&name=long_fill',
      `/playground?kind=tool&name=${key}`,
      '/wire?filter=target:long',
      '/wire?view=timeline',
      '/tools?q=long&per=client',
      '/clients',
      '/events',
      `/why?name=${LONG}`,
      `/view?name=${LONG}`,
    ]) {
      await visit(path)
      const [content, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth])
      expect([path, content! <= window!]).toEqual([path, true])
    }
    await visit('/wire?filter=tool:long_fail')
    await page.getByRole('grid', { name: 'Exchanges' }).locator('tbody tr').first().click()
    await page.getByLabel('Waterfall').waitFor()
    await expectNoOverflow(page)
    await end()
  })

  it('looks like nothing else: signs that turn a name around or hide in it are in sight', async () => {
    await suite.gateway.api.call('startCall', {
      body: {
        method: 'tools/call',
        params: { name: 'long_turned' },
        client: { era: 'modern', capabilities: {}, name: '\u202Eevil\u200B' },
      },
    })
    const { page, visit, end } = await open()
    const shown = String.raw`\u202eevil\u200b`
    await visit('/wire?filter=tool:long_turned')
    await page.getByRole('grid', { name: 'Exchanges' }).getByText(shown).first().waitFor()
    await page.getByRole('group', { name: 'client' }).getByText(shown).waitFor()
    await visit('/clients')
    await page.getByRole('grid', { name: 'Clients', exact: true }).getByText(shown).first().waitFor()
    await visit('/targets/long')
    await page.getByRole('list', { name: 'Last calls' }).getByText(shown).first().waitFor()
    await end()
  })
})
