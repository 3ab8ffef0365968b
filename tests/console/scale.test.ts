import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { PlainExchange } from '@gantry/mcp/exchange'
import { until } from '../support/admin-gateway.ts'
import { describeConsole } from './support/console-suite.ts'
import { mainThread, measured } from './support/measured.ts'
import { axe } from './support/open-console.ts'

const MANY = fileURLToPath(new URL('../fixtures/many-tools-server.mjs', import.meta.url))
const TOOLS = 2_000
const EXCHANGES = 10_000
/** As many as the gateway keeps. */
const CHANGES = 1_000
/** Of elements, whatever the length of the lists. */
const MOST_NODES = 1_500
/** Of the page's own CPU time for one action of a user, so that a busy machine does not matter. */
const MOST_MS = 2_500

/** Of CPU time of its main thread alone, for sorting or filtering all exchanges. */
const MOST_MAIN_MS = 100

const config = {
  telemetry: { wire: { size: EXCHANGES } },
  mcpServers: {
    many: { command: process.execPath, args: [MANY, String(TOOLS), 'many'] },
    demo: { module: 'gantry:demo' },
  },
}

const nodes = (page: Page) => page.evaluate(() => document.querySelectorAll('*').length)

describeConsole('the console at scale', { config, entries: TOOLS }, (suite) => {
  /** Exchanges without HTTP: nobody looks yet, and there are many of them. */
  const fillRecord = async (count: number) => {
    const { respond } = suite.gateway.gateway.endpoint()!
    let left = count
    const worker = async () => {
      while (left-- > 0) {
        const client = {
          info: { name: 'hasty', version: '1' },
          capabilities: {},
          version: '2026-07-28' as const,
        }
        const method = left % 9 === 0 ? 'many/nothing' : 'tools/call'
        const params = { name: 'many_tool_7', arguments: {} }
        await respond(new PlainExchange({ method, params, client }))
      }
    }
    await Promise.all(Array.from({ length: 16 }, worker))
  }

  /** Real exchanges, as any client makes them. */
  const makeExchanges = async (count: number) => {
    let left = count
    const worker = async () => {
      while (left-- > 0) {
        const method = left % 9 === 0 ? 'many/nothing' : 'tools/call'
        const response = await fetch(`${suite.gateway.url}/mcp`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            'mcp-protocol-version': '2026-07-28',
            'mcp-method': method,
            'mcp-name': 'many_tool_7',
          },
          body: JSON.stringify({
            jsonrpc: '2.0',
            id: left,
            method,
            params: {
              name: 'many_tool_7',
              arguments: {},
              _meta: {
                'io.modelcontextprotocol/protocolVersion': '2026-07-28',
                'io.modelcontextprotocol/clientInfo': { name: 'hasty', version: '1' },
                'io.modelcontextprotocol/clientCapabilities': {},
              },
            },
          }),
        })
        await response.text()
      }
    }
    await Promise.all(Array.from({ length: 16 }, worker))
  }

  it(`shows and searches ${TOOLS} tools, on every page that lists them`, async () => {
    const { page, complaints, go, close } = await suite.open()
    const figures: Record<string, number> = {}
    figures.open = await measured(page, async () => {
      await go('/catalog')
      await page.getByText(/2,0\d\d shown/).waitFor()
    })
    figures.nodes = await nodes(page)
    figures.search = await measured(page, async () => {
      await page.getByRole('searchbox').fill('tool_1999')
      await page.getByText('1 shown').waitFor()
    })
    await page.getByRole('list', { name: 'Entries' }).getByText('many_tool_1999').waitFor()
    await page.getByRole('searchbox').fill('')
    await page.getByText(/2,0\d\d shown/).waitFor()
    figures.scroll = await measured(page, async () => {
      await page
        .getByRole('list', { name: 'Entries' })
        .evaluate((list) => list.parentElement!.scrollTo(0, list.scrollHeight))
      await page.getByText('many_tool_1990').waitFor()
    })
    const pages = ['/catalog?view=changes', '/catalog?view=cost', '/playground', '/why?name=tool', '/']
    for (const path of pages) {
      await go(path)
      await page.getByText('live', { exact: true }).first().waitFor()
      figures[path] = await nodes(page)
    }
    await page.keyboard.press('Control+k')
    figures.palette = await measured(page, async () => {
      await page.getByRole('dialog').getByRole('combobox').fill('many_tool_1234')
      await page.getByRole('option', { name: /many_tool_1234/ }).waitFor()
    })
    figures['nodes with the palette'] = await nodes(page)
    console.info(JSON.stringify(figures))
    for (const key of ['nodes', 'nodes with the palette', ...pages])
      expect(figures[key]).toBeLessThan(MOST_NODES)
    for (const key of ['open', 'search', 'scroll', 'palette']) expect(figures[key]).toBeLessThan(MOST_MS)
    expect(complaints).toEqual([])
    await close()
  })

  it(`stays smooth with ${EXCHANGES} exchanges, while more arrive`, async () => {
    await fillRecord(EXCHANGES - 1_000)
    const { page, complaints, go, close } = await suite.open()
    const figures: Record<string, number> = {}
    figures.open = await measured(page, async () => {
      await go('/wire')
      // The newest until the page is used, then all of them. A page ends behind a millisecond.
      await page.getByText(/^2\d\d of \d+,\d{3}$/).waitFor()
      await page.mouse.move(640, 450)
      await page.getByText(/^\d+,\d{3} of \d+,\d{3}$/).waitFor()
    })
    const began = performance.now()
    const busy = await measured(page, async () => {
      await makeExchanges(1_500)
      await page.getByText('10,000 of 10,000').waitFor()
    })
    figures['busy while 1,500 arrive, %'] = Math.round((busy / (performance.now() - began)) * 100)
    figures.nodes = await nodes(page)
    figures.filter = await measured(page, async () => {
      await page.getByLabel('Filter exchanges').fill('status:error client:hasty')
      await page.getByText(/^1,\d{3} of 10,000$/).waitFor()
    })
    const table = page.getByRole('grid', { name: 'Exchanges' })
    const field = page.getByLabel('Filter exchanges')
    await field.fill('')
    await page.getByText('10,000 of 10,000').waitFor()
    // The least of several: what the page collects of earlier work can fall into one of them.
    const sorts: number[] = []
    for (const order of ['descending', 'ascending', 'descending']) {
      sorts.push(
        await mainThread(page, async () => {
          await table.getByRole('button', { name: 'Total ms' }).click()
          await table.locator(`[aria-sort=${order}]`, { hasText: 'Total ms' }).waitFor()
        }),
      )
    }
    figures['sorted, main thread'] = Math.min(...sorts)
    figures['filtered, main thread'] = await mainThread(page, async () => {
      await field.fill('status:error client:hasty')
      await page.getByText(/^1,\d{3} of 10,000$/).waitFor()
    })
    figures.scroll = await measured(page, async () => {
      const last = await table.getAttribute('aria-rowcount')
      await until(async () => {
        await table.evaluate((element) => element.parentElement!.scrollTo(0, element.scrollHeight))
        return (await table.locator(`[aria-rowindex="${last}"]`).count()) === 1
      }, 'The last exchange')
    })
    figures.select = await measured(page, async () => {
      await page.getByRole('grid', { name: 'Exchanges' }).locator('tbody tr').last().click()
      await page.getByRole('button', { name: 'Replay', exact: true }).waitFor()
    })
    console.info(JSON.stringify(figures))
    expect(figures.nodes).toBeLessThan(MOST_NODES)
    for (const key of ['open', 'filter', 'scroll', 'select']) expect(figures[key]).toBeLessThan(MOST_MS)
    for (const key of ['sorted, main thread', 'filtered, main thread'])
      expect([key, figures[key]! < MOST_MAIN_MS]).toEqual([key, true])
    // Drawing what comes in, all threads together, leaves time for the reader.
    expect(figures['busy while 1,500 arrive, %']).toBeLessThan(80)
    expect(complaints).toEqual([])
    await close()
  }, 180_000)

  it('lists every change that is kept, with what is open as high as it needs', async () => {
    const { api } = suite.gateway
    const { text, revision } = await api.call('config', {})
    // Another last argument, which all descriptions name: everything that the target has is different.
    const other = text.replace(/"many"(\s*\])/, '"another"$1')
    await api.call('saveConfig', { body: { text: other, revision } })
    await until(
      async () => (await api.call('catalogChanges', { query: {} })).changes.length >= CHANGES,
      'The changes',
    )
    const { page, complaints, go, close } = await suite.open()
    const figures: Record<string, number> = {}
    figures.open = await measured(page, async () => {
      await go('/catalog?view=changes')
      await page.getByText('1,000 new since your last look').waitFor()
    })
    const list = page.getByRole('list', { name: 'Changes' })
    const row = (position: number) => list.locator(`[aria-posinset="${position}"]`)
    await row(1).locator('summary').click()
    await row(1).getByText('another').first().waitFor()
    const [first, second] = [(await row(1).boundingBox())!, (await row(2).boundingBox())!]
    expect(second.y).toBeGreaterThanOrEqual(first.y + first.height - 1)
    figures.scroll = await measured(page, async () => {
      await until(async () => {
        await list.evaluate((element) => element.parentElement!.scrollTo(0, element.scrollHeight))
        return (await row(CHANGES).count()) === 1
      }, 'The last change')
    })
    figures.nodes = await nodes(page)
    await list.evaluate((element) => element.parentElement!.scrollTo(0, 0))
    // Open still, though it was gone from the page.
    await row(1).getByText('another').first().waitFor()
    expect(await axe(page)).toEqual([])
    console.info(JSON.stringify(figures))
    expect(figures.nodes).toBeLessThan(MOST_NODES)
    for (const key of ['open', 'scroll']) expect(figures[key]).toBeLessThan(MOST_MS)
    expect(complaints).toEqual([])
    await close()
  })
})
