import { expect, it } from 'vitest'
import { PlainExchange } from '@gantry/mcp/exchange'
import { until } from '../support/admin-gateway.ts'
import { describeConsole } from './support/console-suite.ts'
import { config, ENTRIES, PAGES } from './support/pages.ts'

/** Of everything that a page loads before it is quiet, answers of the gateway included, with the weaker compression. */
const MOST_BYTES = 200 * 1024

describeConsole('every page of the console', { config, entries: ENTRIES }, (suite) => {
  /** Without HTTP, which would take longer and tell no more. */
  const makeExchanges = async (count: number) => {
    const { respond } = suite.gateway.gateway.endpoint()!
    const info = { name: 'hasty', version: '1' }
    const client = { info, capabilities: {}, version: '2026-07-28' as const }
    for (let left = count; left > 0; left -= 1) {
      const params = { name: `many_tool_${left}`, arguments: {} }
      await respond(new PlainExchange({ method: 'tools/call', params, client }))
    }
  }

  it('loads each page with few requests and few bytes, and asks for nothing while it is idle', async () => {
    const [base, token] = suite.gateway.consoleUrl!.split('#')
    await makeExchanges(2_000)
    // Targets that are still tried are news, which pages ask for.
    await until(async () => {
      const { targets } = await suite.gateway.api.call('targets', {})
      return targets.every(({ state }) => ['ready', 'quarantined'].includes(state))
    }, 'The end of all tries')
    const tooMuch: unknown[] = []
    const sizes: Record<string, string> = {}
    for (const [path, text] of PAGES) {
      const context = await suite.browser.newContext({ viewport: { width: 1280, height: 900 } })
      const page = await context.newPage()
      await page.clock.install()
      const session = await context.newCDPSession(page)
      await session.send('Network.enable')
      await session.send('Network.setExtraHTTPHeaders', { headers: { 'accept-encoding': 'gzip' } })
      let [requests, bytes] = [0, 0]
      const underWay = new Set<string>()
      session.on('Network.requestWillBeSent', ({ requestId, request }) => {
        requests++
        // This one never ends.
        if (!request.url.includes('/api/events')) underWay.add(requestId)
      })
      session.on('Network.loadingFinished', ({ requestId }) => underWay.delete(requestId))
      session.on('Network.loadingFailed', ({ requestId }) => underWay.delete(requestId))
      session.on('Network.dataReceived', ({ encodedDataLength }) => {
        bytes += encodedDataLength
      })
      await page.goto(`${base!.replace(/\/$/, '')}${path}#${token}`)
      const shown = page.getByText(text).or(page.getByLabel(text)).locator('visible=true').first()
      await shown.waitFor()
      await page.getByText('live', { exact: true }).first().waitFor()
      const settled = async () => {
        const before = requests
        await page.clock.runFor(1_000)
        // An answer may bring further requests, however long it takes.
        return requests === before && underWay.size === 0
      }
      await until(settled, `The end of the requests of ${path}`)
      sizes[path] = `${Math.round(bytes / 1024)} KB, ${requests} requests`
      if (requests > 25 || bytes > MOST_BYTES) tooMuch.push({ path, requests, bytes })
      const before = requests
      await page.clock.fastForward(600_000)
      await page.evaluate(() => fetch('/console/icon.svg'))
      if (requests !== before + 1) tooMuch.push({ path, whileIdle: requests - before - 1 })
      await context.close()
    }
    console.info(JSON.stringify(sizes))
    expect(tooMuch).toEqual([])
  }, 240_000)
})
