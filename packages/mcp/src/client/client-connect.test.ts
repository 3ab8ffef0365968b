import { describe, expect, it } from 'vitest'
import { until } from '../exchange/client/client-edge-peer.test.support.ts'
import type { Connector } from '../exchange/index.ts'
import { McpError } from '../jsonrpc/index.ts'
import { Client } from './client.ts'
import { scripted } from './scripted-connector.test.support.ts'

const never = () => new Promise(() => {})

describe.each(['modern', 'legacy'] as const)('connecting to a %s server', (era) => {
  it('connects once however often it is asked to, and returns what the server said', async () => {
    const connector = scripted(era, () => ({}), { capabilities: { tools: {} } })
    const client = new Client({ name: 'me', version: '1' })
    const [first, second] = await Promise.all([client.connect(connector), client.connect(connector)])
    expect(await client.connect()).toBe(first)
    expect(second).toBe(first)
    expect(connector.peers).toHaveLength(1)
    expect(connector.peer.of(era === 'modern' ? 'server/discover' : 'initialize')).toHaveLength(1)
    expect(client).toMatchObject({
      connected: true,
      era,
      serverInfo: { name: 'scripted', version: '1' },
      serverCapabilities: { tools: {} },
    })
    await client.close()
  })

  it('a handshake that fails leaves nothing behind', async () => {
    const connector = scripted(era, never)
    const refusing: Connector = {
      ...connector,
      open: async () => {
        const wire = await connector.open()
        wire.request = async () => {
          throw new McpError('exited', 'gone')
        }
        return wire
      },
    }
    const client = new Client()
    await expect(client.connect(refusing)).rejects.toMatchObject({ code: 'exited' })
    expect(client.connected).toBe(false)
    expect(client.serverInfo).toBeUndefined()
    expect(connector.peers.every((peer) => peer.closed)).toBe(true)
  })

  it('the first requests connect, single-flight', async () => {
    const connector = scripted(era, () => ({ tools: [] }))
    const client = new Client({ connector })
    await Promise.all([client.listTools().all(), client.listTools().all()])
    expect(connector.peers).toHaveLength(1)
    await client.close()
  })

  it('close without a connection is a no-op, and connect works again after it', async () => {
    const connector = scripted(era, () => ({ content: [] }))
    const client = new Client({ connector })
    await client.close()
    await client.connect()
    await client.close()
    expect(client.connected).toBe(false)
    await expect(client.call('x')).rejects.toMatchObject({ code: 'closed' })
    await client.connect()
    await client.call('x')
    expect(connector.peers).toHaveLength(2)
    await client.close()
  })

  it('an unexpected exit fails what is pending and connects again on the next request', async () => {
    const connector = scripted(era, ({ request }) =>
      request.params?.name === 'hang' ? never() : { content: [] },
    )
    const client = new Client({ connector })
    const closes: unknown[] = []
    client.on('close', (reason) => closes.push(reason))
    const pending = client.call('hang')
    await until(() => connector.peers.length === 1 && connector.peer.of('tools/call').length === 1)
    const reason = new McpError('exited', 'exit 1')
    connector.peer.die(reason)
    await expect(pending).rejects.toBe(reason)
    expect(closes).toEqual([reason])
    await client.call('fine')
    expect(connector.peers).toHaveLength(2)
    await client.close()
  })

  it('a client with reconnecting switched off stays closed after an exit', async () => {
    const connector = scripted(era, () => ({ content: [] }))
    const client = new Client({ connector, reconnect: false })
    await client.call('x')
    connector.peer.die(new McpError('exited', 'exit 1'))
    await expect(client.call('x')).rejects.toMatchObject({
      code: 'closed',
      message: expect.stringContaining('exit 1'),
    })
    await client.connect()
    await client.call('x')
    await client.close()
  })

  it('a lost session is opened anew and the request sent once more', async () => {
    let calls = 0
    const connector = scripted(era, () => {
      if (++calls === 1) throw new McpError('session_lost', '404')
      return { content: [{ type: 'text', text: `call ${calls}` }] }
    })
    const client = new Client({ connector })
    expect((await client.call('x')).text()).toBe('call 2')
    expect(connector.peers).toHaveLength(2)
    expect(connector.peers[0]?.closed).toBe(true)
    await client.close()
  })

  it('a request that loses its session twice fails', async () => {
    const connector = scripted(era, () => {
      throw new McpError('session_lost', '404')
    })
    await using client = new Client({ connector })
    await expect(client.call('x')).rejects.toMatchObject({ code: 'session_lost' })
    expect(connector.peers).toHaveLength(2)
  })
})

describe('connecting', () => {
  it('autoConnect: false forbids connecting by a request', async () => {
    const client = new Client({ connector: scripted('modern', () => ({})), autoConnect: false })
    await expect(client.call('x')).rejects.toMatchObject({ code: 'not_connected' })
  })

  it('says so when there is no server to connect to', async () => {
    await expect(new Client().connect()).rejects.toMatchObject({ code: 'not_connected' })
  })

  it('refuses a second server while it is connected', async () => {
    await using client = new Client()
    await client.connect(scripted('modern', () => ({})))
    const other = client.connect(scripted('modern', () => ({})))
    await expect(other).rejects.toMatchObject({ code: 'already_started' })
  })

  it('gives up within connectTimeout and leaves nothing open', async () => {
    const connector = scripted('modern', never)
    const slow: Connector = {
      ...connector,
      open: async () => {
        const wire = await connector.open()
        wire.request = (_, options) =>
          new Promise((_, reject) => options?.signal?.addEventListener('abort', () => reject(new Error('x'))))
        return wire
      },
    }
    const client = new Client({ connectTimeout: 30 })
    await expect(client.connect(slow)).rejects.toMatchObject({ code: 'timeout' })
    expect(connector.peers.map(({ closed }) => closed)).toEqual([true])
  })

  it('stops connecting when it is closed', async () => {
    const connector = scripted('modern', never)
    const stuck: Connector = {
      ...connector,
      open: (options) =>
        new Promise((_, reject) => options?.signal?.addEventListener('abort', () => reject(new Error('x')))),
    }
    const client = new Client()
    const connecting = client.connect(stuck)
    const failed = expect(connecting).rejects.toMatchObject({ code: 'closed' })
    await client.close()
    await failed
  })

  it('lets one caller give up without disturbing the others', async () => {
    let open = () => {}
    const connector = scripted('modern', () => ({ content: [] }))
    const slow: Connector = {
      ...connector,
      open: () =>
        new Promise((resolve) => {
          open = () => resolve(connector.open())
        }),
    }
    await using client = new Client({ connector: slow })
    const abort = new AbortController()
    const hasty = client.call('x', {}, { signal: abort.signal })
    const patient = client.call('x')
    abort.abort()
    await expect(hasty).rejects.toMatchObject({ code: 'cancelled' })
    open()
    await patient
  })

  it('negotiates anew when a modern server says that it no longer speaks the revision', async () => {
    let refused = false
    const connector = scripted('modern', () => {
      if (refused) return { content: [] }
      refused = true
      return { error: { code: -32022, message: 'no', data: { supported: ['2026-07-28'] } } }
    })
    await using client = new Client({ connector })
    await client.call('x')
    expect(connector.peers).toHaveLength(2)
  })
})
