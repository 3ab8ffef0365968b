import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Connector, connect, http, sse } from '@gantry/mcp/client'
import { socket, stdio } from '@gantry/mcp/client/node'
import { toFetchHandler } from '@gantry/mcp/server'
import { serveSocket, toNodeHandler } from '@gantry/mcp/server/node'
import { memory } from '@gantry/mcp/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { REVISIONS, type Revision } from '../../packages/mcp/src/protocol/index.ts'
import { bundle } from '../../packages/mcp/src/transport/fixtures/bundle.test.node.ts'
import { createOwnApp } from './fixtures/own-app.ts'

interface Way {
  connector: Connector
  end(): unknown
}

let program: string
beforeAll(async () => {
  program = await bundle(new URL('fixtures/own-stdio.ts', import.meta.url))
})

async function listening(connectorOf: (url: string) => Connector): Promise<Way> {
  const handler = toNodeHandler(createOwnApp())
  const server = createServer(handler)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    connector: connectorOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`),
    end: () => {
      handler.close()
      server.closeAllConnections()
      server.close()
    },
  }
}

const WAYS: Record<string, () => Promise<Way>> = {
  memory: async () => ({ connector: memory(createOwnApp()), end: () => {} }),
  stdio: async () => ({ connector: stdio(process.execPath, [program]), end: () => {} }),
  'a Unix socket': async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gantry-'))
    const path = join(folder, 'socket')
    const server = await serveSocket(createOwnApp(), { path })
    const end = async (): Promise<void> => {
      await server.close()
      rmSync(folder, { recursive: true })
    }
    return { connector: socket({ path }), end }
  },
  TCP: async () => {
    const server = await serveSocket(createOwnApp(), { port: 0 })
    const { port } = server.server.address() as AddressInfo
    return { connector: socket({ host: '127.0.0.1', port }), end: () => server.close() }
  },
  'Streamable HTTP': () => listening((url) => http(url)),
  'the fetch handler': async () => {
    const handler = toFetchHandler(createOwnApp())
    const fetch = (url: string, init: RequestInit): Promise<Response> => handler(new Request(url, init))
    return { connector: http('http://127.0.0.1/mcp', { fetch }), end: () => handler.close() }
  },
  'HTTP+SSE': () => listening((url) => sse(url)),
}

// The old transport has neither the modern era nor a reason for it.
const CELLS = Object.keys(WAYS).flatMap((way) =>
  REVISIONS.filter((revision) => way !== 'HTTP+SSE' || revision < '2026').map(
    (revision) => [way, revision] as const,
  ),
)

const has = {
  elicitation: (revision: Revision) => revision >= '2025-06-18',
  structured: (revision: Revision) => revision >= '2025-06-18',
}

describe.each(CELLS)('our client and our server over %s at %s', (way, revision) => {
  it('do everything, in messages that the official schema allows', async () => {
    const { connector, end } = await WAYS[way]!()
    const heard: string[] = []
    const client = await connect(connector, {
      protocolVersion: revision,
      elicit: () => ({ action: 'accept', content: { region: 'eu' } }),
      sample: () => ({ role: 'assistant', model: 'm', content: { type: 'text', text: 'short' } }),
      roots: [{ uri: 'file:///home' }],
    })
    try {
      expect([client.protocolVersion, client.serverInfo?.name]).toEqual([revision, 'own'])
      const tools = await client.listTools().all()
      expect(tools.map(({ name }) => name)).toEqual(['publish', 'summarise', 'chatter', 'touch', 'slow'])
      expect(await client.listPrompts().all()).toHaveLength(1)
      expect(await client.listResources().all()).toHaveLength(1)
      expect(await client.listResourceTemplates().all()).toHaveLength(1)
      if (has.elicitation(revision)) {
        const steps: number[] = []
        const onProgress = ({ progress }: { progress: number }) => void steps.push(progress)
        const published = await client.call('publish', { id: '7' }, { onProgress })
        expect(published.json()).toEqual({ url: 'https://eu.example/7' })
        expect(published.structured !== undefined).toBe(has.structured(revision))
        expect(steps).toEqual([1])
      }
      const summary = await client.call('summarise')
      expect(summary.content.map((block) => block.type === 'text' && block.text)).toEqual([
        '{"type":"text","text":"short"}',
        'file:///home',
      ])
      const logs: unknown[] = []
      await client.call('chatter', {}, { logLevel: 'info', onLog: ({ data }) => logs.push(data) })
      expect(logs).toEqual([{ said: 'something' }])
      expect((await client.getPrompt('hello', { who: 'Ada' })).messages).toHaveLength(1)
      expect((await client.readResource('note://2/raw')).contents[0]?.text).toBe('raw 2')
      const ref = { type: 'ref/prompt', name: 'hello' } as const
      expect((await client.complete(ref, { name: 'who', value: 'A' })).values).toEqual(['Ada'])

      client.on('resourceUpdated', ({ uri }) => heard.push(uri))
      client.on('toolsChanged', () => heard.push('tools'))
      const subscription = await client.subscribe('note://1')
      await client.listening()
      await client.call('touch')
      await expect.poll(() => heard.sort()).toEqual(['note://1', 'tools'])
      await subscription.close()

      await expect(client.call('nope')).rejects.toMatchObject({ code: -32602 })
      await expect(client.call('slow', {}, { timeout: 50 })).rejects.toMatchObject({ code: 'timeout' })
      await client.ping()
    } finally {
      await client.close()
      await end()
    }
  })
})
