import { once } from 'node:events'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Server } from '@gantry/mcp/server'
import { expect, it } from 'vitest'
import { serveHttp } from '../support/http-targets.ts'
import { modernRequest } from '../support/raw-client.ts'
import { serveFrom } from '../support/source-process.ts'

const FILES_GONE = new URL('../support/files-gone.mjs', import.meta.url).href
const COUNTER = fileURLToPath(new URL('../scale/fixtures/counter-server.mjs', import.meta.url))
/** So long nothing is loaded when everything is. */
const QUIET = 2_000

it('first calls work while the files of the gateway are replaced', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gantry-replaced-'))
  const words = await serveHttp(
    new Server({ name: 'words', version: '1.0.0', tools: { hello: { run: () => 'hello' } } }),
  )
  const api = createServer((_, response) => response.end('pong'))
  await once(api.listen(0, '127.0.0.1'), 'listening')
  const gone = join(folder, 'gone')
  const loaded = join(folder, 'loaded')
  Object.assign(process.env, { GANTRY_FILES_GONE: gone, GANTRY_FILES_LOADED: loaded })
  await writeFile(
    join(folder, 'api.json'),
    JSON.stringify({
      openapi: '3.1.0',
      info: { title: 'Ping', version: '1' },
      servers: [{ url: `http://127.0.0.1:${(api.address() as AddressInfo).port}` }],
      paths: {
        '/ping': { get: { operationId: 'ping', responses: { 200: { description: 'It is there' } } } },
      },
    }),
  )
  const file = join(folder, 'gantry.json')
  await writeFile(
    file,
    JSON.stringify({
      mcpServers: {
        words: { url: words.url, start: 'lazy' },
        counter: {
          command: process.execPath,
          args: [COUNTER],
          env: { REVISIONS: '2025-11-25' },
          start: 'lazy',
        },
        api: { openapi: { document: join(folder, 'api.json') }, start: 'lazy' },
      },
      server: { workers: 2, drainDelay: '10ms' },
      stateDir: join(folder, 'state'),
      telemetry: { logLevel: 'warn' },
    }),
  )
  const gateway = await serveFrom(file, { preload: FILES_GONE })
  try {
    for (let before = 0, now = 1; now !== before; ) {
      before = now
      await new Promise((resolve) => setTimeout(resolve, QUIET))
      now = (await stat(loaded)).size
    }
    await writeFile(gone, '')
    const answers: unknown[] = []
    // The workers take connections in turn.
    for (const name of ['words_hello', 'counter_count', 'api_ping'].flatMap((one) => [one, one])) {
      const { message } = await modernRequest(
        gateway.endpoint,
        'tools/call',
        { name, arguments: {} },
        { headers: { connection: 'close' } },
      )
      answers.push((message?.result as { content?: { text: string }[] })?.content?.[0]?.text ?? message)
    }
    expect(answers).toEqual(['hello', 'hello', '1', '2', 'pong', 'pong'])
    const ended = once(gateway.child, 'exit')
    gateway.child.kill('SIGTERM')
    expect((await ended)[0]).toBe(0)
  } finally {
    await gateway.kill()
    await words.close()
    api.close()
    await rm(folder, { recursive: true, force: true })
  }
})
