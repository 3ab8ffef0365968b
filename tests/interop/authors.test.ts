import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { toNodeHandler } from '@gantry/mcp/server/node'
import { describe, expect, it } from 'vitest'
import { createAuthorsApp } from './fixtures/authors-app.mjs'
import { openOfficial1 } from './support/official-1.ts'
import { openOfficial2 } from './support/official-2.ts'
import { CLIENT_INFO, type OfficialPeer, type Target } from './support/official-peer.ts'

const SERVER = fileURLToPath(new URL('./fixtures/authors-server.mjs', import.meta.url))
const principal = { kind: 'person' as const, subject: 'ann' }

async function serve(kind: 'stdio' | 'http'): Promise<{ target: Target; stop(): Promise<void> }> {
  if (kind === 'stdio') {
    return { target: { kind, command: process.execPath, args: [SERVER] }, stop: async () => {} }
  }
  const guard = () => ({ ok: true as const, auth: { principal, scopes: [], claims: {} } })
  const handler = toNodeHandler(createAuthorsApp(), { guard })
  const server = createServer(handler)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    target: { kind, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp` },
    stop: async () => {
      handler.close()
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

const CLIENTS: [string, (target: Target) => Promise<OfficialPeer>][] = [
  ['1.32', openOfficial1],
  ['2.4 legacy', (target) => openOfficial2(target, 'legacy')],
  ['2.4 modern', (target) => openOfficial2(target, { pin: '2026-07-28' })],
]
const CELLS = (['stdio', 'http'] as const).flatMap((kind) => CLIENTS.map((one) => [...one, kind] as const))

describe.each(CELLS)('the official client %s', (_, open, kind) => {
  it(`gets what is mounted, kept and listed for it over ${kind}`, async () => {
    const { target, stop } = await serve(kind)
    const peer = await open(target)
    try {
      const { tools } = (await peer.request('tools/list', {})) as { tools: { name: string }[] }
      expect(tools.map(({ name }) => name)).toEqual(['count', 'visit', 'notes_add', 'notes_ask'])
      expect(await peer.call('notes_add')).toMatchObject({ structuredContent: { id: 7 } })
      expect(await peer.call('notes_ask')).toMatchObject({ content: [{ text: 'yes' }] })
      expect(await peer.request('resources/read', { uri: 'notes+note://1' })).toMatchObject({
        contents: [{ uri: 'notes+note://1', text: 'first' }],
      })
      const { resources } = (await peer.request('resources/list', {})) as { resources: { uri: string }[] }
      expect(resources.map(({ uri }) => uri)).toEqual([`mine://${CLIENT_INFO.name}`, 'notes+note://1'])
      expect(await peer.call('count')).toMatchObject({ content: [{ text: '1' }] })
      expect(await peer.call('count')).toMatchObject({ content: [{ text: '2' }] })
    } finally {
      await peer.close()
      await stop()
    }
  })

  it(`is sent to a page before the call over ${kind}`, async () => {
    const { target, stop } = await serve(kind)
    const peer = await open(target)
    try {
      const first = await peer.call('visit').catch((error: unknown) => error)
      // The newer client answers the question by itself; the older ones leave the error to their host.
      if (peer.isModern) expect(first).toMatchObject({ content: [{ text: 'been there' }] })
      else
        expect(first).toMatchObject({ code: -32042, data: { elicitations: [{ elicitationId: 'visit-1' }] } })
      await expect
        .poll(async () => ((await peer.call('visit').catch(() => ({}))) as { content?: unknown }).content, {
          timeout: 20_000,
        })
        .toMatchObject([{ text: 'been there' }])
    } finally {
      await peer.close()
      await stop()
    }
  })
})
