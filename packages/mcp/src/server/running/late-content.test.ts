import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { setImmediate as immediate } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { createTaskClient, tasks } from '../../extensions/tasks/index.ts'
import { connect, http } from '../../entries/client.ts'
import { file, serveStream, toNodeHandler } from '../../entries/server.node.ts'
import { caching, limitResults } from '../../middleware/index.ts'
import { envelope } from '../../testing/fixtures/both-eras.test.support.ts'
import { eras, memory } from '../../testing/index.ts'
import { embeddedResource, image, Server, text } from '../index.ts'

// Content that is read while it is sent, where it cannot be: code that keeps or changes a result needs the whole of it,
// and what is not sent is let go of.

const folder = mkdtempSync(join(tmpdir(), 'gantry-late-'))
const path = join(folder, 'words')
const words = 'some "words" and 漢字 '.repeat(5_000)
writeFileSync(path, words)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const base64 = Buffer.from(words).toString('base64')
const read = async () => text(await file(path))
const bytes = () => Readable.from([Buffer.from(words)], { objectMode: false })

async function* breaking(): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(100_000)
  throw new Error('The disk is gone')
}

const quiet = { exceptionReporter: () => {} }

describe('late content in a task', () => {
  const createApp = (maxResultSize?: number) => {
    const app = new Server({
      name: 's',
      configuration: quiet,
      tools: {
        words: { task: 'required', run: () => immediate().then(read) },
        picture: { task: 'required', run: () => image(bytes(), 'image/png') },
        broken: { task: 'required', run: () => immediate().then(() => image(breaking(), 'image/png')) },
      },
    })
    tasks(app, { pollInterval: '10ms', ...(maxResultSize !== undefined && { maxResultSize }) })
    return app
  }

  it.each(['2026-07-28', '2025-11-25'] as const)(
    'is kept whole, and given as often as it is asked for (%s)',
    async (protocolVersion) => {
      await using client = await connect(memory(createApp()), { protocolVersion })
      const runs = createTaskClient(client)
      const run = await runs.start('words')
      expect((await run.result()).text() === words).toBe(true)
      expect((await run.result()).text() === words).toBe(true)
      const [picture] = (await (await runs.start('picture')).result()).content
      expect(picture?.type === 'image' && picture.data === base64).toBe(true)
    },
  )

  it.each(['2026-07-28', '2025-11-25'] as const)(
    'that breaks off or is too long is a failed task (%s)',
    async (protocolVersion) => {
      await using client = await connect(memory(createApp(1_000)), { protocolVersion })
      const runs = createTaskClient(client)
      for (const name of ['broken', 'words']) {
        const run = await runs.start(name)
        await expect(run.result()).rejects.toThrow()
        expect(await run.status()).toMatchObject({ status: 'failed' })
      }
    },
  )
})

it('late content is sent whole by `handle`, and in a batch with its other answers', async () => {
  const app = new Server({
    name: 's',
    configuration: quiet,
    tools: {
      words: { run: read },
      broken: { run: () => image(breaking(), 'image/png') },
      plain: { run: () => 'plain' },
    },
  })
  const call = (id: number, name: string) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } })
  const batch = JSON.stringify([call(1, 'words'), call(2, 'broken'), call(3, 'plain')])
  const expected = [
    { id: 1, result: { content: [{ type: 'text', text: words }] } },
    { id: 2, error: { code: -32603, message: 'Internal error' } },
    { id: 3, result: { content: [{ type: 'text', text: 'plain' }] } },
  ]
  const byId = (text: string) => (JSON.parse(text) as { id: number }[]).sort((a, b) => a.id - b.id)
  expect(await app.handle(call(1, 'words'))).toMatchObject(expected[0]!)
  expect(await app.handle(call(2, 'broken'))).toMatchObject(expected[1]!)

  const input = new PassThrough()
  const output = new PassThrough()
  const served = serveStream(app, input, output)
  const line = new Promise<string>((resolve) => {
    let all = ''
    output.on('data', (chunk) => {
      all += chunk
      const end = all.indexOf('\n', all.indexOf('\n') + 1)
      if (end > 0) resolve(all.slice(all.indexOf('\n') + 1, end))
    })
  })
  const params = { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'c', version: '1' } }
  input.write(`${JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params })}\n`)
  input.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n${batch}\n`)
  expect(byId(await line)).toMatchObject(expected)
  input.end()
  await served
})

it('caching does not keep late content, and passes it on whole', async () => {
  let runs = 0
  const counted = () => {
    runs++
    return read()
  }
  const app = () =>
    new Server({ name: 's', tools: { words: { run: counted } } }).use(
      caching({ tools: ['words'], ttl: '1h' }),
    ) as Server
  await eras(app, async ({ client }) => {
    runs = 0
    for (const _ of [1, 2]) expect((await client.call('words')).text() === words).toBe(true)
    expect(runs).toBe(2)
  })
})

it('limitResults leaves late content out with a note, keeps what fits, and closes the source', async () => {
  const sources: Readable[] = []
  const open = () => {
    const source = bytes()
    sources.push(source)
    return source
  }
  const app = () =>
    new Server({
      name: 's',
      tools: {
        mixed: { run: () => [text('before'), image(open(), 'image/png'), text('after')] },
        embedded: { run: () => embeddedResource({ uri: 'a://b', blob: open() }) },
      },
    }).use(limitResults({ maxCharacters: 1_000 })) as Server
  await eras(app, async ({ client }) => {
    const mixed = await client.call('mixed')
    expect(mixed.text()).toMatch(/^before\nafter\n\[A file is left out/)
    expect((await client.call('embedded')).text()).toMatch(/^\[A file is left out/)
  })
  expect(sources.map(({ destroyed }) => destroyed)).toEqual(Array(6).fill(true))
})

describe('late content that nobody takes is closed', () => {
  const createApp = () => {
    let go = (): void => {}
    const begun = new Promise<void>((resolve) => (go = resolve))
    const source = bytes()
    let finish = (): void => {}
    const app = new Server({
      name: 's',
      configuration: quiet,
      tools: {
        // It does not look at its signal, as many handlers do not.
        slow: {
          run: async () => {
            go()
            await new Promise<void>((resolve) => (finish = resolve))
            return image(source, 'image/png')
          },
        },
        both: { run: () => [image(breaking(), 'image/png'), image(source, 'image/png')] },
      },
    })
    return { app, source, begun, finish: () => finish() }
  }

  it.each(['modern', 'legacy'] as const)('after a cancelled call (%s)', async (era) => {
    const { app, source, begun, finish } = createApp()
    await using client = await connect(memory(app), { era })
    const stop = new AbortController()
    const call = client.call('slow', {}, { signal: stop.signal })
    await begun
    stop.abort()
    await expect(call).rejects.toThrow()
    finish()
    await expect.poll(() => source.destroyed).toBe(true)
  })

  it('after a reader that went away (HTTP)', async () => {
    const { app, source, begun, finish } = createApp()
    const server = createServer(toNodeHandler(app)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const client = await connect(http(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`))
    const call = client.call('slow')
    await begun
    await client.close()
    await expect(call).rejects.toThrow()
    finish()
    await expect.poll(() => source.destroyed).toBe(true)
    server.closeAllConnections()
    server.close()
  })

  it('behind one that breaks off', async () => {
    const { app, source } = createApp()
    await using client = await connect(memory(app))
    await expect(client.call('both')).rejects.toMatchObject({ code: -32603 })
    expect(source.destroyed).toBe(true)
  })

  it('when the pipe goes before its turn comes', async () => {
    const { app, source } = createApp()
    const input = new PassThrough()
    const output = new PassThrough({ highWaterMark: 1 })
    const served = serveStream(app.tool('long', { run: () => 'x'.repeat(1_000_000) }), input, output)
    const call = (id: number, name: string) =>
      `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, ...envelope() } })}\n`
    app.tool('late', { run: () => image(source, 'image/png') })
    input.write(call(1, 'long') + call(2, 'late'))
    await once(output, 'readable')
    output.destroy()
    await expect.poll(() => source.destroyed).toBe(true)
    input.end()
    await served
  })
})
