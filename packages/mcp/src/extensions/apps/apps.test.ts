import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { Client } from '../../client/index.ts'
import { McpError } from '../../jsonrpc/index.ts'
import type { Tool } from '../../protocol/index.ts'
import { Server, tool, ToolBase } from '../../server/index.ts'
import { memory } from '../../transport/memory.ts'
import {
  APP_MIME_TYPE,
  appCapabilities,
  appLinkOf,
  appResource,
  apps,
  APPS_EXTENSION,
  appTool,
  contentSecurityPolicy,
  isForApp,
  isForModel,
  permissionsPolicy,
  readApp,
  supportsApps,
} from './index.ts'

const URI = 'ui://weather/dashboard'
const HTML = '<!doctype html><title>Weather</title>'
const csp = { connectDomains: ['https://api.example'] }

function createApp() {
  const forecast = tool({ input: z.object({ city: z.string() }), run: ({ city }) => `Sunny in ${city}` })
  const app = new Server({
    name: 'weather',
    tools: {
      forecast: appTool(forecast, { resourceUri: URI }),
      refresh: appTool({ run: () => 'fresh', when: supportsApps }, { resourceUri: URI, visibility: ['app'] }),
      mode: tool({ run: (_, ctx) => (supportsApps(ctx) ? 'view' : 'text') }),
    },
  })
  apps(app, [{ uri: URI, name: 'dashboard', html: HTML, csp, prefersBorder: true }])
  return app
}

describe.each(['2026-07-28', '2025-11-25'] as const)('a view, at %s', (protocolVersion) => {
  it('is declared, linked and read with its policy', async () => {
    const client = new Client({
      connector: memory(createApp()),
      capabilities: appCapabilities(),
      protocolVersion,
    })
    await client.connect()
    expect(client.serverCapabilities?.extensions).toEqual({
      [APPS_EXTENSION]: { mimeTypes: [APP_MIME_TYPE] },
    })
    const tools = await client.listTools().all()
    expect(tools.map(({ name }) => name)).toEqual(['forecast', 'refresh', 'mode'])
    const [forecast, refresh, mode] = tools as [Tool, Tool, Tool]
    expect(forecast._meta).toEqual({ ui: { resourceUri: URI } })
    expect(appLinkOf(mode)).toBeUndefined()
    expect([forecast, refresh, mode].map(isForModel)).toEqual([true, false, true])
    expect([forecast, refresh, mode].map(isForApp)).toEqual([true, true, true])
    expect(await readApp(client, forecast)).toEqual({ uri: URI, html: HTML, csp, prefersBorder: true })
    const [listed] = await client.listResources().all()
    expect(listed).toMatchObject({ uri: URI, name: 'dashboard', mimeType: 'text/html;profile=mcp-app' })
    expect((await client.call('mode')).text()).toBe('view')
    await client.close()
  })

  it('is nothing to a client that cannot show it', async () => {
    const client = new Client({ connector: memory(createApp()), protocolVersion })
    expect((await client.listTools().all()).map(({ name }) => name)).toEqual(['forecast', 'mode'])
    await expect(client.call('refresh')).rejects.toMatchObject({ code: -32602 })
    expect((await client.call('forecast', { city: 'Rome' })).text()).toBe('Sunny in Rome')
    expect((await client.call('mode')).text()).toBe('text')
    await client.close()
  })
})

describe('the server side', () => {
  it('makes documents for the caller', async () => {
    const app = new Server({ name: 'weather' })
    apps(app, [{ uri: URI, html: (ctx) => `<p>${ctx.client.info?.name}</p>` }])
    const client = new Client({ connector: memory(app), name: 'ann' })
    expect(await readApp(client, URI)).toEqual({ uri: URI, html: '<p>ann</p>' })
    await client.close()
  })

  it('leaves the tool as it was, whatever its form', async () => {
    const plain = tool({ input: z.object({ n: z.number() }), run: ({ n }) => String(n), _meta: { own: 1 } })
    const joined = appTool(plain, { resourceUri: URI })
    expectTypeOf(joined).toEqualTypeOf<typeof plain>()
    expect(joined._meta).toEqual({ own: 1, ui: { resourceUri: URI } })
    expect(plain._meta).toEqual({ own: 1 })
    class AddOne extends ToolBase {
      override run({ n }: { n: number }) {
        return String(n + 1)
      }
    }
    const app = new Server({ name: 'x', tools: [appTool(new AddOne(), { resourceUri: URI })] })
    const client = new Client({ connector: memory(app) })
    expect((await client.call('add_one', { n: 1 })).text()).toBe('2')
    await client.close()
  })

  it('refuses URIs of other schemes', () => {
    expect(() => appResource({ uri: 'https://example', html: HTML })).toThrow(McpError)
    expect(() => appTool({ run: () => '' }, { resourceUri: 'ui://' })).toThrow(McpError)
  })

  it('reads what clients declare with care', () => {
    const caller = (settings: unknown) => ({
      client: {
        version: '2026-07-28' as const,
        capabilities: { extensions: { [APPS_EXTENSION]: settings } },
      },
    })
    expect(supportsApps(caller({ mimeTypes: [APP_MIME_TYPE] }) as never)).toBe(true)
    for (const settings of [
      undefined,
      null,
      {},
      { mimeTypes: APP_MIME_TYPE },
      { mimeTypes: ['text/html'] },
    ]) {
      expect(supportsApps(caller(settings) as never)).toBe(false)
    }
  })
})

describe('the client side', () => {
  const withMeta = (_meta: unknown) => ({ name: 't', inputSchema: {}, _meta }) as Tool

  it('understands the older form, and ignores what is malformed', () => {
    expect(appLinkOf(withMeta({ 'ui/resourceUri': URI }))).toEqual({ resourceUri: URI })
    for (const meta of [undefined, null, {}, { ui: 'x' }, { ui: { resourceUri: 'https://evil.example' } }]) {
      expect(appLinkOf(withMeta(meta))).toBeUndefined()
    }
    expect(isForModel(withMeta({ ui: { visibility: ['nobody'] } }))).toBe(false)
  })

  it('takes documents as bytes, and refuses what is no view', async () => {
    const app = new Server({ name: 'x' })
    const read = (contents: object) =>
      app.resource({ ...contents, uri: `ui://${Object.keys(contents)}` } as never)
    read({ blob: new TextEncoder().encode(HTML), mimeType: APP_MIME_TYPE })
    read({ text: HTML, mimeType: 'text/html' })
    read({ blob: new Uint8Array([0xff]), mimeType: APP_MIME_TYPE, name: 'x' })
    const client = new Client({ connector: memory(app) })
    expect((await readApp(client, 'ui://blob,mimeType')).html).toBe(HTML)
    for (const uri of ['ui://text,mimeType', 'ui://blob,mimeType,name']) {
      await expect(readApp(client, uri)).rejects.toMatchObject({ code: 'bad_response' })
    }
    await expect(readApp(client, 'https://evil.example')).rejects.toMatchObject({ code: 'unsupported' })
    await expect(readApp(client, withMeta({}))).rejects.toMatchObject({ code: 'unsupported' })
    await client.close()
  })

  it('builds a closed policy, opened by declared origins only', () => {
    const closed = contentSecurityPolicy()
    expect(closed).toContain("default-src 'none'")
    expect(closed).toContain("connect-src 'none'; frame-src 'none'; base-uri 'self'; object-src 'none'")
    const open = contentSecurityPolicy({
      connectDomains: ['https://api.example:8443', 'wss://live.example'],
      resourceDomains: ['https://*.cdn.example'],
    })
    expect(open).toContain('connect-src https://api.example:8443 wss://live.example;')
    expect(open).toContain("script-src 'self' 'unsafe-inline' https://*.cdn.example;")
    const hostile = [
      "https://a.example; script-src 'unsafe-eval'",
      '*',
      "'unsafe-eval'",
      'https://a.example/path',
      'data:',
      'https://*',
      7,
    ] as string[]
    const all = {
      connectDomains: hostile,
      resourceDomains: hostile,
      frameDomains: hostile,
      baseUriDomains: hostile,
    }
    expect(contentSecurityPolicy(all)).toBe(closed)
    expect(contentSecurityPolicy({ connectDomains: 'https://a.example' } as never)).toBe(closed)
  })

  it('names permissions as browsers do', () => {
    expect(permissionsPolicy()).toBe('')
    expect(permissionsPolicy({ camera: {}, clipboardWrite: {} })).toBe('camera; clipboard-write')
    expect(permissionsPolicy({ camera: true } as never)).toBe('')
  })
})
