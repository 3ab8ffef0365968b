import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adminGateway, until, type AdminGateway } from '../support/admin-gateway.ts'
import { ensureBuilt } from './support/built-console.ts'
import { hasChromium, launch } from './support/chromium.ts'
import { openConsole } from './support/open-console.ts'

const HOSTILE = fileURLToPath(new URL('../fixtures/hostile-server.mjs', import.meta.url))
const ATTACK = '<img src=x onerror="globalThis.__attacked = 20">'

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

describe.skipIf(!hasChromium)('a hostile server', () => {
  let gateway: AdminGateway
  let browser: Browser

  beforeAll(async () => {
    await ensureBuilt()
    gateway = await adminGateway({
      mcpServers: {
        hostile: { command: process.execPath, args: [HOSTILE], description: ATTACK },
        '<img src=x onerror=alert(1)>': { command: ATTACK },
      },
    })
    browser = await launch()
    await until(
      async () => (await gateway.api.call('catalog', { query: {} })).entries.length >= 5,
      'The catalog',
    )
  }, 60_000)

  afterAll(async () => {
    await browser?.close()
    await gateway?.close()
  })

  it('cannot inject anything into any page: names, descriptions, schemas, results, errors, stderr, OpenAPI', async () => {
    const { page, complaints, go, close } = await openConsole(browser, gateway.consoleUrl!)
    const foreign: string[] = []
    page.on('request', (request) => {
      if (!request.url().startsWith(gateway.url) && !request.url().startsWith('data:'))
        foreign.push(request.url())
    })
    const dialogs: string[] = []
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message())
      void dialog.dismiss()
    })
    const calm = async (where: string) => {
      const found = await page.evaluate(() => ({
        attacked: (globalThis as { __attacked?: number }).__attacked,
        scripts: [...document.querySelectorAll('script')].filter(
          ({ src }) => !src.startsWith(location.origin),
        ).length,
        handlers: document.querySelectorAll('[onerror],[onload],[onclick],iframe,object,embed,base').length,
        links: [...document.querySelectorAll('a')].filter(
          ({ protocol }) => !/^(https?|mailto|blob):$/.test(protocol),
        ).length,
        images: [...document.images].filter(
          ({ src }) => !src.startsWith('data:') && !src.startsWith(location.origin),
        ).length,
      }))
      const none = { attacked: undefined, scripts: 0, handlers: 0, links: 0, images: 0 }
      expect({ where, ...found }).toEqual({ where, ...none })
    }
    const { entries } = await gateway.api.call('catalog', { query: {} })
    const strange = encodeURIComponent('<img src=x onerror=alert(1)>')
    const paths = [
      '/',
      ...['handshake', 'stderr', 'processes', 'capabilities', 'configuration'].map(
        (tab) => `/targets/hostile?tab=${tab}`,
      ),
      `/targets/${strange}`,
      '/catalog',
      '/catalog?view=changes',
      '/catalog?view=cost',
      ...entries.map(({ kind, key }) => `/catalog?entryKind=${kind}&entry=${encodeURIComponent(key)}`),
      ...entries.map(({ kind, key }) => `/playground?kind=${kind}&name=${encodeURIComponent(key)}`),
      `/playground?kind=request&name=${strange}`,
      '/clients',
      '/configuration',
      `/why?name=${strange}`,
      `/wire?filter=${strange}`,
    ]
    for (const path of paths) {
      await go(path)
      await page.getByText('live', { exact: true }).first().waitFor()
      await until(
        async () => (await page.getByRole('status', { name: 'Loading' }).count()) === 0,
        `${path} loading`,
      )
      await calm(path)
    }
    for (const { kind, key } of entries.filter((entry) => entry.kind === 'tool' || entry.kind === 'prompt')) {
      await go(`/playground?kind=${kind}&name=${encodeURIComponent(key)}`)
      await page.getByRole('button', { name: kind === 'tool' ? 'Call' : 'Get', exact: true }).click()
      await page.getByRole('tabpanel').or(page.getByRole('alert')).first().waitFor()
      await page
        .getByRole('link', { name: /on the wire/ })
        .first()
        .waitFor()
      await calm(`the result of ${key}`)
      await page
        .getByRole('link', { name: /on the wire/ })
        .first()
        .click()
      await page.getByLabel('Waterfall').or(page.getByText('No messages were kept')).first().waitFor()
      await calm(`the wire of ${key}`)
    }
    await go('/add-target')
    await page.getByLabel('Command, URL, snippet or description').fill(JSON.stringify(OPENAPI))
    await page.getByRole('button', { name: 'Try it' }).click()
    await page.getByText('works', { exact: true }).or(page.getByRole('alert')).first().waitFor()
    await calm('a trial of an OpenAPI description')
    expect(dialogs).toEqual([])
    expect(foreign).toEqual([])
    expect(complaints.filter((text) => !/404|400/.test(text))).toEqual([])
    await close()
  }, 180_000)
})
