import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { until } from '../exchange/client/client-edge-peer.test.support.ts'
import { REVISIONS, type Revision } from '../protocol/index.ts'
import { resource, Server, text, tool } from '../server/index.ts'
import { connect } from '../entries/client.ts'
import { memory } from '../transport/memory.ts'

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

const withElicitation = (version: Revision) => version >= '2025-06-18'

// Every transport is gone through in tests/client/own-server.test.ts; here the compiler watches as well.
describe.each(REVISIONS)('our own server at %s', (version) => {
  it('answers, asks, reports, announces and is cancelled', async () => {
    const app = createApp()
    await using client = await connect<App>(memory(app), {
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
    await using client = await connect<App>(memory(createApp()), {
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
