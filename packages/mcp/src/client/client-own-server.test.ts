import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { until } from '../exchange/client-edge-peer.test.support.ts'
import { REVISIONS, type Revision } from '../protocol/index.ts'
import { resource, Server, text, tool } from '../server/index.ts'
import { connect } from '../transport/client.ts'
import { http } from '../transport/http-client.ts'
import { memory } from '../transport/memory.ts'
import { toNodeHandler } from '../transport/server.node.ts'

function createApp() {
  let counter = 0
  const app = new Server({
    name: 'own',
    version: '1.0.0',
    tools: {
      publish: tool({
        input: z.object({ id: z.string() }),
        output: z.object({ url: z.string() }),
        run: async ({ id }, ctx) => {
          const { region } = await ctx.elicit('Where?', z.object({ region: z.enum(['eu', 'us']) }))
          await ctx.progress(1, 2)
          return { url: `https://${region}.example/${id}` }
        },
      }),
      count: tool({ input: z.object({}), run: () => text(String(++counter)) }),
      slow: tool({
        input: z.object({}),
        run: (_, ctx) =>
          new Promise((resolve) => ctx.signal.addEventListener('abort', () => resolve(text('')))),
      }),
    },
    resources: { note: resource({ uri: 'note://1', text: 'a note' }) },
  })
  return app
}

type App = ReturnType<typeof createApp>

interface Running extends AsyncDisposable {
  connector: ReturnType<typeof http>
}

async function serve(app: App, transport: 'memory' | 'http'): Promise<Running> {
  if (transport === 'memory') return { connector: memory(app), [Symbol.asyncDispose]: async () => {} }
  const server = createServer(toNodeHandler(app))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    connector: http(`http://127.0.0.1:${port}/mcp`),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

const withElicitation = (version: Revision) => version >= '2025-06-18'

const matrix = (['memory', 'http'] as const).flatMap((transport) =>
  REVISIONS.map((version) => [transport, version] as const),
)

describe.each(matrix)('our own server over %s at %s', (transport, version) => {
  it('answers, asks, reports, announces and is cancelled', async () => {
    const app = createApp()
    await using running = await serve(app, transport)
    await using client = await connect<App>(running.connector, {
      protocolVersion: version,
      elicit: () => ({ action: 'accept', content: { region: 'eu' } }),
    })
    expect(client.protocolVersion).toBe(version)
    expect(client.serverInfo?.name).toBe('own')
    const tools = await client.listTools().all()
    expect(tools.map(({ name }) => name)).toEqual(['publish', 'count', 'slow'])
    expect(await client.tools.count()).toBe('1')
    if (withElicitation(version)) {
      const steps: number[] = []
      const published = await client.tools.publish(
        { id: '7' },
        { onProgress: ({ progress }) => steps.push(progress) },
      )
      expectTypeOf(published).toEqualTypeOf<{ url: string }>()
      expect(published).toEqual({ url: 'https://eu.example/7' })
      expect(steps).toEqual([1])
    }
    const heard: string[] = []
    client.on('resourceUpdated', ({ uri }) => heard.push(uri))
    client.on('toolsChanged', () => heard.push('tools'))
    await using _ = await client.subscribe('note://1')
    await until(() => {
      app.notifyResourceUpdated('note://1')
      app.notifyToolsListChanged()
      return heard.includes('note://1') && heard.includes('tools')
    })
    await expect(client.call('slow', {}, { timeout: 50 })).rejects.toMatchObject({ code: 'timeout' })
    await client.ping()
  })

  it('returns its questions as values, to be answered later', async () => {
    if (!withElicitation(version)) return
    await using running = await serve(createApp(), transport)
    await using client = await connect<App>(running.connector, {
      protocolVersion: version,
      capabilities: { elicitation: {} },
    })
    const started = await client.start('publish', { id: '7' })
    if (started.type !== 'input_required') throw new Error(JSON.stringify(started))
    const [key] = Object.keys(started.questions) as [string]
    const answers = { [key]: { action: 'accept', content: { region: 'us' } } }
    const done = await client.resume(JSON.parse(JSON.stringify(started)), answers)
    expect(done).toMatchObject({ type: 'complete' })
    if (done.type === 'complete') expect(done.result.json()).toEqual({ url: 'https://us.example/7' })
  })
})
