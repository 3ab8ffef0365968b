import { createRequire } from 'node:module'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterEach, expect, it, vi } from 'vitest'
import { BOTH_ERAS } from '../support/start-gateway.ts'
import { describeConsole } from './support/console-suite.ts'
import { axe, openConsole } from './support/open-console.ts'

const EVERYTHING = join(
  createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json'),
  '../dist/index.js',
)

const config = {
  mcpServers: {
    ...BOTH_ERAS.mcpServers,
    everything: { command: process.execPath, args: [EVERYTHING, 'stdio'] },
  },
}

afterEach(() => vi.useRealTimers())

describeConsole('the console beside other clients', { config, entries: 30 }, (suite) => {
  it('shows an official client with what it waits for, cancels that, and disconnects it', async () => {
    const client = new Client({ name: 'visitor', version: '7.0.0' }, { capabilities: { roots: {} } })
    await client.connect(new StreamableHTTPClientTransport(new URL(`${suite.gateway.url}/mcp`)) as never)
    const { page, go, close } = await suite.open()
    await go('/clients')
    await page.getByText('visitor 7.0.0').waitFor()
    const call = client.callTool({ name: 'new_wait', arguments: {} }).then(
      () => 'answered',
      (error: Error) => `failed: ${error.message}`,
    )
    const waiting = page.getByRole('list', { name: 'Requests in flight' })
    await waiting.getByRole('link', { name: /new_wait/ }).waitFor()
    expect(await axe(page)).toEqual([])
    await waiting.getByRole('button', { name: 'Cancel new_wait' }).click()
    expect(await call).toMatch(/failed|answered/)
    await waiting.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Disconnect' }).click()
    await page.getByText('The client was disconnected.').first().waitFor()
    await page.getByText('visitor 7.0.0').waitFor({ state: 'detached' })
    await client.close()
    await close()
  })

  it('lists those that are there, and those that are gone apart or not at all', async () => {
    const { page, go, close } = await suite.open()
    await go('/clients')
    await page.getByText('live', { exact: true }).first().waitFor()
    const leaving = new Client({ name: 'leaving', version: '1.0.0' })
    const transport = new StreamableHTTPClientTransport(new URL(`${suite.gateway.url}/mcp`))
    await leaving.connect(transport as never)
    // One that is killed says no farewell, and leaves its session behind.
    const opened = await fetch(`${suite.gateway.url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: {
          protocolVersion: '2025-11-25',
          capabilities: {},
          clientInfo: { name: 'killed', version: '1.0.0' },
        },
      }),
    })
    await opened.text()
    const there = page.getByRole('grid', { name: 'Clients', exact: true })
    await there.getByRole('row', { name: /killed/ }).waitFor()
    await there.getByRole('row', { name: /leaving/ }).waitFor()

    await transport.terminateSession()
    await leaving.close()
    await there.getByRole('row', { name: /leaving/ }).waitFor({ state: 'detached' })
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * 60_000 })
    await there.getByRole('row', { name: /killed/ }).waitFor({ state: 'detached' })
    expect(await page.getByText('leaving').count()).toBe(0)
    await page.getByText('1 session without a connection').click()
    const away = page.getByRole('grid', { name: 'Clients without a connection' })
    await away.getByRole('row', { name: /killed/ }).waitFor()
    expect(await axe(page)).toEqual([])
    await page.getByRole('button', { name: 'Disconnect' }).click()
    await away.waitFor({ state: 'detached' })
    await close()
  })

  it('completes arguments of prompts', async () => {
    const { page, go, close } = await suite.open()
    await go('/playground?kind=prompt&name=everything_completable-prompt')
    const input = page.getByLabel('department')
    await input.fill('S')
    const suggestions = page.locator(`datalist[id="${await input.getAttribute('list')}"] option`)
    await suggestions.first().waitFor({ state: 'attached' })
    expect(await suggestions.evaluateAll((all) => all.map((one) => one.getAttribute('value')))).toEqual([
      'Sales',
      'Support',
    ])
    await close()
  })

  it('says that it lost the gateway, and comes back by itself with what it missed', async () => {
    const way = await breakableWay(suite.gateway.url)
    const { page, close } = await openConsole(
      suite.browser,
      suite.gateway.consoleUrl!.replace(suite.gateway.url, way.url),
    )
    await page
      .getByRole('navigation', { name: 'Targets' })
      .getByRole('link', { name: /\bold\b/ })
      .click()
    await page.getByText('ready', { exact: true }).first().waitFor()
    const live = page.getByText('live', { exact: true }).first()
    await live.waitFor()
    await page.getByRole('tab', { name: 'Handshake' }).waitFor()
    way.cut()
    await page.getByText('reconnecting', { exact: true }).first().waitFor()
    await suite.gateway.api.call('targetAction', { params: { name: 'old' }, body: { action: 'stop' } })
    expect(await axe(page)).toEqual([])
    // A page that was never opened has to be fetched; the console stays and says so.
    await page
      .getByRole('navigation', { name: 'Pages' })
      .getByRole('link', { name: /^Catalog/ })
      .click()
    await page.getByText('This page could not be loaded').waitFor()
    await page
      .getByRole('navigation', { name: 'Targets' })
      .getByRole('link', { name: /\bold\b/ })
      .click()
    way.mend()
    await live.waitFor()
    await page.getByText('stopped', { exact: true }).first().waitFor()
    await suite.gateway.api.call('targetAction', { params: { name: 'old' }, body: { action: 'start' } })
    await page.getByText('ready', { exact: true }).first().waitFor()
    await close()
    await way.close()
  })
})

/** A way to the gateway that can be cut, as a network can. */
async function breakableWay(url: string) {
  const sockets = new Set<Socket>()
  let isCut = false
  const server = createServer((socket) => {
    if (isCut) return void socket.destroy()
    const other = connect(Number(new URL(url).port), '127.0.0.1')
    for (const one of [socket, other]) {
      sockets.add(one)
      one.on('error', () => {})
      one.on('close', () => {
        sockets.delete(one)
        socket.destroy()
        other.destroy()
      })
    }
    socket.pipe(other).pipe(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cut = () => {
    isCut = true
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    mend: () => {
      isCut = false
    },
    close: () => {
      cut()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}
