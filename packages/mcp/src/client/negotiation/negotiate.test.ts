import { describe, expect, it } from 'vitest'
import {
  type Script,
  ScriptedPeer,
  type Turn,
  until,
} from '../../exchange/client/client-edge-peer.test.support.ts'
import type { Connector } from '../../exchange/index.ts'
import { McpError } from '../../jsonrpc/index.ts'
import { META } from '../../protocol/index.ts'
import { EraCache } from './era-cache.ts'
import { negotiate, type NegotiateOptions } from './negotiate.ts'

const never = () => new Promise(() => {})
const notFound = { error: { code: -32601, message: 'Method not found' } }
const discovery = { supportedVersions: ['2025-11-25', '2026-07-28'], capabilities: { tools: {} } }
const initialized = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  serverInfo: { name: 'o', version: '1' },
}

const modern: Script = ({ request }) => (request.method === 'server/discover' ? discovery : notFound)
const legacy: Script = ({ request }) => (request.method === 'initialize' ? initialized : notFound)

/** A connector whose wires are scripted one after the other; the last script serves all further wires. */
function connector(scripts: Script[], kind: Connector['kind'] = 'stdio', fallback?: Connector) {
  const peers: ScriptedPeer[] = []
  return {
    peers,
    kind,
    key: `${kind}:test`,
    fallback,
    async open() {
      const peer = new ScriptedPeer(scripts[Math.min(peers.length, scripts.length - 1)] as Script, kind)
      peers.push(peer)
      return peer
    },
  }
}

function options(extra: Partial<NegotiateOptions> = {}): NegotiateOptions {
  return { info: { name: 'us', version: '1' }, capabilities: {}, eras: new EraCache(), ...extra }
}

const failing =
  (code: 'exited' | 'http_status' | 'unauthorized' | 'network', details = {}): Script =>
  () => {
    throw new McpError(code, code, { details })
  }

describe.each(['stdio', 'http'] as const)('negotiation over %s', (kind) => {
  it('takes a DiscoverResult for a modern server, with the newest revision of both', async () => {
    const target = connector([modern], kind)
    const { edge } = await negotiate(target, options())
    expect(edge).toMatchObject({ era: 'modern', version: '2026-07-28', discovery })
    expect(target.peers[0]?.methods).toEqual(['server/discover'])
    expect(target.peers[0]?.of('server/discover')[0]?.params?._meta).toEqual({
      [META.protocolVersion]: '2026-07-28',
      [META.clientInfo]: { name: 'us', version: '1' },
      [META.clientCapabilities]: {},
    })
  })

  it('retries with a revision from data.supported, and never falls back on a modern error', async () => {
    const answers = [
      { error: { code: -32022, message: 'no', data: { supported: ['2026-07-28'] } } },
      discovery,
    ]
    const target = connector([() => answers.shift()], kind)
    const { edge } = await negotiate(target, options())
    expect(edge.era).toBe('modern')
    expect(target.peers[0]?.methods).toEqual(['server/discover', 'server/discover'])
  })

  it.each([-32020, -32021])('does not fall back on %d either', async (code) => {
    const target = connector([() => ({ error: { code, message: 'modern' } })], kind)
    await expect(negotiate(target, options())).rejects.toMatchObject({ code })
    expect(target.peers[0]?.methods).toEqual(['server/discover'])
    expect(target.peers[0]?.closed).toBe(true)
  })

  it('says which revisions there are when none is common', async () => {
    const target = connector([() => ({ supportedVersions: ['2031-01-01'], capabilities: {} })], kind)
    await expect(negotiate(target, options())).rejects.toMatchObject({
      code: 'bad_version',
      message: expect.stringContaining('2031-01-01'),
    })
  })

  it.each([-32601, -32602, -32600, -32000, 0])('takes error %d for a legacy server', async (code) => {
    const script: Script = ({ request }) =>
      request.method === 'initialize' ? initialized : { error: { code, message: 'what?' } }
    const target = connector([script], kind)
    const { edge } = await negotiate(target, options())
    expect(edge).toMatchObject({ era: 'legacy', version: '2025-11-25' })
    expect(target.peers).toHaveLength(1)
    expect(target.peers[0]?.methods).toEqual(['server/discover', 'initialize', 'notifications/initialized'])
  })

  it('takes an empty result for a legacy server that answers everything', async () => {
    const target = connector([({ request }) => (request.method === 'initialize' ? initialized : {})], kind)
    expect((await negotiate(target, options())).edge.era).toBe('legacy')
  })

  it('falls back to initialize when the probe is not answered, and ignores the late answer', async () => {
    let answerLate = (_: unknown) => {}
    const script: Script = ({ request }) => {
      if (request.method === 'initialize') return initialized
      return new Promise((resolve) => {
        answerLate = resolve
      })
    }
    const target = connector([script], kind)
    const { edge } = await negotiate(target, options({ probeTimeout: 20 }))
    answerLate(discovery)
    expect(edge.era).toBe('legacy')
    const ids = target.peers[0]?.sent.map((message) => ('id' in message ? message.id : undefined))
    expect(new Set(ids).size).toBe(3)
  })

  it.each([{ era: 'legacy' }, { protocolVersion: '2025-11-25' }] as const)(
    'does not take a server of both eras for a legacy one because another client insisted (%j)',
    async (insisting) => {
      const target = connector([
        (turn) => (turn.request.method === 'initialize' ? initialized : modern(turn)),
      ])
      const eras = new EraCache()
      for (const [insists, era] of [
        [insisting, 'legacy'],
        [{}, 'modern'],
      ] as const) {
        const { edge } = await negotiate(target, options({ eras, ...insists }))
        expect(edge.era).toBe(era)
        await edge.close()
      }
    },
  )

  it('does not take a server of both eras for a legacy one because it was slow to start', async () => {
    let wake = (_: unknown) => {}
    const slow: Script = async ({ request }) => {
      if (request.method === 'server/discover') return new Promise((resolve) => (wake = resolve))
      // Both requests were in the pipe when it began to read: the first is answered first.
      wake(discovery)
      await new Promise((resolve) => setTimeout(resolve, 0))
      return initialized
    }
    const target = connector([slow, modern], kind)
    const { edge } = await negotiate(target, options({ probeTimeout: 20 }))
    expect(edge.era).toBe('modern')
    expect(target.peers.map((peer) => peer.closed)).toEqual([true, false])
  })

  it('a legacy server that was slow to start keeps its connection', async () => {
    let wake = (_: unknown) => {}
    const slow: Script = async ({ request }) => {
      if (request.method === 'server/discover') return new Promise((resolve) => (wake = resolve))
      wake(notFound)
      await new Promise((resolve) => setTimeout(resolve, 0))
      return initialized
    }
    const target = connector([slow], kind)
    expect((await negotiate(target, options({ probeTimeout: 20 }))).edge.era).toBe('legacy')
    expect(target.peers).toHaveLength(1)
  })

  it('finds a modern server that was only slow to start', async () => {
    let awake = false
    const script: Script = ({ request }) => {
      if (request.method === 'initialize') {
        awake = true
        return notFound
      }
      return awake ? discovery : never()
    }
    const { edge } = await negotiate(connector([script], kind), options({ probeTimeout: 20 }))
    expect(edge.era).toBe('modern')
  })

  it('does not take a refused login or a dead network for an era', async () => {
    for (const code of ['unauthorized', 'network'] as const) {
      const target = connector([failing(code)], kind)
      await expect(negotiate(target, options())).rejects.toMatchObject({ code })
      expect(target.peers[0]?.methods).toEqual(['server/discover'])
    }
  })

  it.each([429, 502, 503, 504])(
    'does not take a server that cannot be reached now (HTTP %d) for an older one',
    async (status) => {
      const eras = new EraCache()
      for (const era of ['auto', 'modern'] as const) {
        const target = connector([failing('http_status', { status })], kind)
        await expect(negotiate(target, options({ era, eras }))).rejects.toMatchObject({ code: 'http_status' })
        expect(target.peers[0]?.methods).toEqual(['server/discover'])
      }
      expect((await negotiate(connector([modern], kind), options({ eras }))).edge.era).toBe('modern')
    },
  )

  it('a handshake that fails closes what was opened', async () => {
    const bad: Script = ({ request }) =>
      request.method === 'initialize' ? { ...initialized, protocolVersion: '1.0' } : notFound
    const target = connector([bad], kind)
    await expect(negotiate(target, options())).rejects.toMatchObject({ code: 'bad_version' })
    expect(target.peers.every((peer) => peer.closed)).toBe(true)
  })

  it('stops when it is told to, with the reason given', async () => {
    const target = connector([never], kind)
    const abort = new AbortController()
    const pending = negotiate(target, options({ signal: abort.signal }))
    await until(() => target.peers[0]?.sent.length === 1)
    abort.abort(new McpError('timeout', 'enough'))
    await expect(pending).rejects.toMatchObject({ code: 'timeout', message: 'enough' })
    expect(target.peers[0]?.closed).toBe(true)
  })
})

describe('negotiation, pinned', () => {
  it('goes straight to initialize for a legacy pin, and insists on the revision', async () => {
    const echo = ({ request }: Turn) => ({ ...initialized, protocolVersion: request.params?.protocolVersion })
    const target = connector([echo])
    const { edge } = await negotiate(target, options({ protocolVersion: '2025-03-26' }))
    expect(edge.version).toBe('2025-03-26')
    expect(target.peers[0]?.methods).toEqual(['initialize', 'notifications/initialized'])
    await expect(
      negotiate(connector([legacy]), options({ protocolVersion: '2025-03-26' })),
    ).rejects.toMatchObject({ code: 'bad_version' })
    expect((await negotiate(connector([legacy]), options({ era: 'legacy' }))).edge.era).toBe('legacy')
  })

  it('fails for a modern pin when the server is legacy', async () => {
    const target = connector([legacy])
    await expect(negotiate(target, options({ era: 'modern' }))).rejects.toMatchObject({ code: 'bad_version' })
    expect(target.peers[0]?.methods).toEqual(['server/discover'])
  })
})

describe('negotiation, stdio', () => {
  it('starts a server again that died on the probe, and remembers', async () => {
    const eras = new EraCache()
    const target = connector([failing('exited'), legacy])
    const { edge } = await negotiate(target, options({ eras }))
    expect(edge.era).toBe('legacy')
    expect(target.peers.map((peer) => peer.methods[0])).toEqual(['server/discover', 'initialize'])
    expect(target.peers[0]?.closed).toBe(true)
    await negotiate(target, options({ eras: new EraCache({ findings: eras.export() }) }))
    expect(target.peers).toHaveLength(3)
    expect(target.peers[2]?.methods).toEqual(['initialize', 'notifications/initialized'])
  })

  it('probes anew when the remembered era is no longer true', async () => {
    const target = connector([modern])
    const findings = { [target.key]: { era: 'legacy', version: '2025-11-25', at: Date.now() } as const }
    const eras = new EraCache({ findings })
    expect((await negotiate(target, options({ eras }))).edge.era).toBe('modern')
    expect(eras.get(target.key)?.era).toBe('modern')
  })

  it('forgets findings that are too old', () => {
    const eras = new EraCache({ maxAge: 1_000 })
    eras.set('x', { era: 'legacy', version: '2025-11-25', at: Date.now() - 2_000 })
    expect(eras.get('x')).toBeUndefined()
  })
})

describe('negotiation over HTTP', () => {
  it.each([400, 404, 405])('goes on to HTTP+SSE when initialize gets %d', async (status) => {
    const sse = connector([legacy], 'sse')
    const http = connector([failing('http_status', { status })], 'http', sse)
    const eras = new EraCache()
    expect((await negotiate(http, options({ eras }))).edge.era).toBe('legacy')
    expect(http.peers[0]?.methods).toEqual(['server/discover', 'initialize'])
    expect(http.peers[0]?.closed).toBe(true)
    expect(sse.peers[0]?.methods).toEqual(['initialize', 'notifications/initialized'])
    await negotiate(http, options({ eras }))
    expect(http.peers).toHaveLength(1)
    expect(sse.peers).toHaveLength(2)
  })

  it('does not when the server merely failed, and explains both when both fail', async () => {
    const sse = connector([failing('network')], 'sse')
    const broken = connector([failing('http_status', { status: 503 })], 'http', sse)
    await expect(negotiate(broken, options())).rejects.toMatchObject({ details: { status: 503 } })
    expect(sse.peers).toHaveLength(0)
    const missing = connector([failing('http_status', { status: 404 })], 'http', sse)
    await expect(negotiate(missing, options())).rejects.toMatchObject({
      code: 'http_status',
      message: expect.stringContaining('HTTP+SSE did not work either'),
    })
  })
})
