import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { until } from '../exchange/client/client-edge-peer.test.support.ts'
import type { Connector } from '../exchange/index.ts'
import { stdio } from '../entries/client.node.ts'
import { connect, EraCache, http } from '../entries/client.ts'

const script = fileURLToPath(new URL('fixtures/official-server.mjs', import.meta.url))

interface Running extends AsyncDisposable {
  connector: Connector
}

async function start(version: '1' | '2', transport: 'stdio' | 'http' | 'sse'): Promise<Running> {
  const args = [script, version, transport]
  if (transport === 'stdio') {
    return { connector: stdio({ command: process.execPath, args }), [Symbol.asyncDispose]: async () => {} }
  }
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const [port] = (await once(createInterface(child.stdout), 'line')) as [string]
  return {
    connector: http(`http://127.0.0.1:${port}/mcp`),
    [Symbol.asyncDispose]: async () => {
      child.stdin.end()
      await once(child, 'exit')
    },
  }
}

describe.each([
  ['1', 'stdio', 'legacy', '2025-11-25'],
  ['1', 'http', 'legacy', '2025-11-25'],
  ['1', 'sse', 'legacy', '2025-11-25'],
  ['2', 'stdio', 'modern', '2026-07-28'],
  ['2', 'http', 'modern', '2026-07-28'],
  ['2', 'stdio', 'legacy', '2025-11-25'],
  ['2', 'http', 'legacy', '2025-11-25'],
] as const)('official server %s over %s, %s', (version, transport, era, revision) => {
  it('is found, called, asked, listened to and cancelled', async () => {
    await using running = await start(version, transport)
    const eras = new EraCache()
    // The dual-era server is modern for those who ask; the other half of it is seen by insisting.
    const insisted = version === '2' ? era : 'auto'
    const asked: unknown[] = []
    await using client = await connect(running.connector, {
      eras,
      era: insisted,
      elicit: (params) => {
        asked.push(params.message)
        return { action: 'accept', content: { name: 'Ada' } }
      },
    })
    expect(client).toMatchObject({ era, protocolVersion: revision })
    expect(client.serverInfo?.name).toBe(`official-${version}`)
    if (transport === 'sse') expect(Object.values(eras.export())[0]?.fallback).toBe(true)

    const tools = await client.listTools().all()
    expect(tools.map(({ name }) => name)).toContain('greet')
    const progress: unknown[] = []
    const sum = await client.call('add', { a: 2, b: 3 }, { onProgress: (step) => progress.push(step) })
    expect(sum.structured).toEqual({ sum: 5 })
    expect(progress).toEqual([{ progress: 1, total: 2 }])
    expect((await client.readResource('note://1')).contents[0]?.text).toBe('a note')
    expect((await client.getPrompt('hello', { name: 'you' })).messages).toHaveLength(1)
    await client.ping()
    await expect(client.getPrompt('nobody')).rejects.toMatchObject({ code: -32602 })

    const isStatelessLegacy = version === '2' && transport === 'http' && era === 'legacy'
    if (!isStatelessLegacy) {
      expect((await client.call('greet')).text()).toBe('Hello Ada, 30')
      expect(asked).toEqual(['Who are you?'])
      await changesAreHeard(client)
    }
    await expect(client.call('slow', {}, { timeout: 100 })).rejects.toMatchObject({ code: 'timeout' })
    await client.ping()
  })
})

describe('an official server that has forgotten its sessions', () => {
  it('is greeted anew, the request sent once more and the listeners kept', async () => {
    await using running = await start('1', 'http')
    await using client = await connect(running.connector, { eras: new EraCache() })
    await client.call('add', { a: 1, b: 1 })
    const lost: unknown[] = []
    client.on('close', (reason) => lost.push(reason))
    await fetch(new URL('/forget', running.connector.key))
    expect((await client.call('add', { a: 2, b: 2 })).structured).toEqual({ sum: 4 })
    expect(lost).toMatchObject([{ code: 'session_lost' }])
    await changesAreHeard(client)
  })
})

type Connected = Awaited<ReturnType<typeof connect>>

async function changesAreHeard(client: Connected): Promise<void> {
  const heard: string[] = []
  client.on('resourceUpdated', ({ uri }) => heard.push(uri))
  client.on('toolsChanged', () => heard.push('tools'))
  await using _ = await client.subscribe('note://1')
  await client.call('touch')
  await client.call('grow')
  await until(() => heard.includes('note://1') && heard.includes('tools'))
}
