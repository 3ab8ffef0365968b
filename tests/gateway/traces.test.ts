import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { Server } from '@gantry/mcp/server'
import { checkMetrics, checkSpans } from '../support/otel/check-spans.mjs'
import { startReceiver } from '../support/otel/receiver.mjs'
import { legacyRequest, modernRequest, openSession } from '../support/raw-client.ts'
import { testGateway, type TestGateway } from '../support/start-gateway.ts'

const META = fileURLToPath(new URL('../fixtures/meta-server.mjs', import.meta.url))
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const CALLER = '00f067aa0ba902b7'
const PARENT = `00-${TRACE}-${CALLER}-01`

let gateway: TestGateway | undefined
let receiver: Awaited<ReturnType<typeof startReceiver>> | undefined
afterEach(async () => {
  await gateway?.close()
  await receiver?.close()
  gateway = undefined
  receiver = undefined
})

const program = (revisions: string) => ({
  command: process.execPath,
  args: [META],
  env: { REVISIONS: revisions },
})

async function start(otlp: object = {}, config: object = {}): Promise<TestGateway> {
  receiver = await startReceiver()
  gateway = await testGateway(
    {
      mcpServers: {
        old: program('2025-11-25'),
        new: program('2026-07-28'),
        here: { module: 'here' },
      },
      telemetry: { otlp: { endpoint: receiver.url, ...otlp } },
      ...config,
    },
    { embedded: new Map([['here', new Server({ name: 'here', tools: { add: { run: () => '2' } } })]]) },
  )
  return gateway
}

/** Closing sends everything. */
async function sent() {
  await gateway!.close()
  gateway = undefined
  return receiver!.spans
}

const call = (name: string, meta?: object, headers?: Record<string, string>) =>
  modernRequest(
    gateway!.endpoint,
    'tools/call',
    { name },
    { ...(meta && { meta }), ...(headers && { headers }) },
  )
const textOf = (answer: Awaited<ReturnType<typeof call>>) => JSON.parse(answer.message.result.content[0].text)

it('measures how long sessions of clients and of targets lasted', async () => {
  await start()
  const session = await openSession(gateway!.endpoint)
  await legacyRequest(gateway!.endpoint, 'tools/call', { name: 'old_meta' }, { session })
  await sent()
  const byName = new Map(receiver!.metrics.map((metric) => [metric.name, metric]))
  expect([...byName.keys()]).toEqual(
    expect.arrayContaining(['mcp.server.session.duration', 'mcp.client.session.duration']),
  )
  expect(checkMetrics(receiver!.metrics)).toEqual([])
})

describe('the spans of a call', () => {
  it.each(['old', 'new'])(
    'continue the trace of the caller, to a target of the %s era on stdio',
    async (target) => {
      await start()
      const told = { traceparent: PARENT, tracestate: 'a=1,b=2', baggage: 'user=7' }
      const answer = await call(`${target}_meta`, told, {
        traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
      })
      const seen = textOf(answer)
      const spans = (await sent()).filter(({ traceId }) => traceId === TRACE)
      const server = spans.find(({ kind }) => kind === 'SERVER')!
      const client = spans.find(({ kind }) => kind === 'CLIENT')!
      expect(server).toMatchObject({
        parentId: CALLER,
        name: `tools/call ${target}_meta`,
        state: 'a=1,b=2',
        service: 'gantry',
      })
      expect(server.attributes).toMatchObject({
        'gantry.target': target,
        'network.transport': 'tcp',
        'client.address': '127.0.0.1',
      })
      // The HTTP request has a trace of its own.
      expect(server.links).toEqual([{ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) }])
      expect(client).toMatchObject({ parentId: server.spanId, name: 'tools/call meta' })
      expect(client.attributes).toMatchObject({
        'network.transport': 'pipe',
        'mcp.protocol.version': target === 'old' ? '2025-11-25' : '2026-07-28',
      })
      expect(seen).toMatchObject({
        traceparent: `00-${TRACE}-${client.spanId}-01`,
        tracestate: 'a=1,b=2',
        baggage: 'user=7',
      })
      for (const inner of spans) {
        expect(inner.start >= server.start && inner.end <= server.end).toBe(true)
      }
      expect(checkSpans(spans)).toEqual([])
    },
  )

  it('begin with the HTTP request where `_meta` names no parent, and anew where nothing does', async () => {
    await start()
    await call('new_meta', undefined, { traceparent: PARENT })
    const seen = textOf(
      await call('new_meta', { traceparent: `00-${'0'.repeat(32)}-${CALLER}-01`, tracestate: 'lost=1' }),
    )
    const servers = (await sent()).filter(
      ({ kind, name }) => kind === 'SERVER' && name === 'tools/call new_meta',
    )
    expect(servers.map(({ traceId, parentId }) => [traceId === TRACE, parentId])).toEqual([
      [true, CALLER],
      [false, ''],
    ])
    expect(seen.traceparent).toContain(servers[1]!.traceId)
    expect(seen).not.toHaveProperty('tracestate')
  })

  it('follow a legacy client, and what the gateway does itself', async () => {
    await start(
      {},
      {
        policy: { rules: [{ deny: ['tools:old/fail'] }] },
        mcpServers: { old: { ...program('2025-11-25'), isolation: 'session' }, here: { module: 'here' } },
      },
    )
    const session = await openSession(gateway!.endpoint)
    await legacyRequest(
      gateway!.endpoint,
      'tools/call',
      { name: 'old_meta', _meta: { traceparent: PARENT } },
      { session },
    )
    await legacyRequest(gateway!.endpoint, 'tools/call', { name: 'here_add' }, { session })
    const all = await sent()
    const spans = all.filter(({ traceId }) => traceId === TRACE)
    const server = spans.find(({ kind }) => kind === 'SERVER')!
    expect(server.attributes['mcp.protocol.version']).toBe('2025-11-25')
    // The id itself would let its reader into the session.
    expect(server.attributes['mcp.session.id']).toMatch(/^[0-9a-f]{32}$/)
    const steps = spans.filter(({ kind }) => kind === 'INTERNAL')
    expect(steps.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['queue', 'resolve', 'policy', 'connect']),
    )
    expect(steps.every(({ parentId }) => parentId === server.spanId)).toBe(true)
    // What runs in this process is not asked over a wire.
    expect(all.filter(({ name }) => name === 'tools/call add').map(({ kind }) => kind)).toEqual(['INTERNAL'])
    expect(checkSpans(all)).toEqual([])
  })

  it('say how calls end, and never name what callers made up', async () => {
    await start()
    await call('new_fail')
    await call('new_made_up_Xyzzy')
    await modernRequest(gateway!.endpoint, 'made/upXyzzy', {})
    await modernRequest(gateway!.endpoint, 'prompts/get', { name: 'new_hello' })
    const { message } = await modernRequest(gateway!.endpoint, 'resources/list', {})
    await modernRequest(gateway!.endpoint, 'resources/read', { uri: message.result.resources[0].uri })
    await modernRequest(gateway!.endpoint, 'tools/list', {})
    const spans = await sent()
    expect(checkSpans(spans)).toEqual([])
    expect(spans.find(({ name }) => name === 'tools/call new_fail')).toMatchObject({
      failed: true,
      attributes: { 'error.type': 'tool_error', 'gen_ai.operation.name': 'execute_tool' },
    })
    const names = spans.filter(({ kind }) => kind === 'SERVER').map(({ name }) => name)
    expect(names).toEqual(
      expect.arrayContaining([
        'tools/call',
        '_OTHER',
        'prompts/get new_hello',
        'resources/read',
        'tools/list',
      ]),
    )
    const unknown = spans.find(({ name, kind }) => name === 'tools/call' && kind === 'SERVER')!
    expect(unknown).toMatchObject({ failed: false, attributes: { 'rpc.response.status_code': '-32602' } })
    expect(Buffer.concat(receiver!.raw).toString()).not.toContain('Xyzzy')
    const metrics = receiver!.metrics
    expect(checkMetrics(metrics)).toEqual([])
    const counted = metrics.find(({ name }) => name === 'mcp.server.operation.duration')!
    expect(
      counted.points.find(
        ({ attributes }: { attributes: Record<string, unknown> }) =>
          attributes['gen_ai.tool.name'] === 'new_fail',
      ),
    ).toMatchObject({ count: 1 })
    expect(metrics.map(({ name }) => name)).toContain('mcp.client.operation.duration')
  })
})

describe('what is sent', () => {
  it('is a share, what the caller samples, and every request that fails or is slow', async () => {
    await start({ share: 0, slow: '200ms' })
    await call('new_meta')
    await call('new_meta', { traceparent: `00-${TRACE}-${CALLER}-00` })
    await call('new_meta', { traceparent: `00-${'c'.repeat(32)}-${CALLER}-01` })
    await call('new_fail')
    await call('new_slow')
    const servers = (await sent()).filter(({ kind }) => kind === 'SERVER')
    const isSlow = ({ start, end }: (typeof servers)[number]) => end - start >= 200_000_000n
    const why = servers.map((span) => [span.name, span.attributes['gantry.kept'], isSlow(span)])
    expect(why).toContainEqual(['tools/call new_meta', 'share', expect.any(Boolean)])
    expect(why).toContainEqual(['tools/call new_fail', 'error', expect.any(Boolean)])
    expect(why).toContainEqual(['tools/call new_slow', 'slow', true])
    // A busy machine makes other calls slow, too. Nothing else is sent.
    for (const [name, kept, slow] of why) expect([name, kept !== 'slow' || slow]).toEqual([name, true])
    expect(why.filter(([name, kept]) => name === 'tools/call new_meta' && kept === 'share')).toHaveLength(1)
    const counted = receiver!.metrics.find(({ name }) => name === 'mcp.server.operation.duration')!
    // Figures are about all calls.
    expect(
      counted.points.find(
        ({ attributes }: { attributes: Record<string, unknown> }) =>
          attributes['gen_ai.tool.name'] === 'new_meta',
      ),
    ).toMatchObject({ count: 3 })
  })

  it('has arguments and results only where they are wanted, and without secrets', async () => {
    await start({ bodies: true })
    const args = { text: 'visible', password: 'ghp_pl4nted0123456789abcdef0123' }
    await modernRequest(gateway!.endpoint, 'tools/call', { name: 'new_meta', arguments: args })
    const spans = await sent()
    expect(checkSpans(spans)).toEqual([])
    const { attributes } = spans.find(
      ({ kind, name }) => kind === 'SERVER' && name === 'tools/call new_meta',
    )!
    expect(attributes['gen_ai.tool.call.arguments']).toContain('visible')
    expect(attributes['gen_ai.tool.call.result']).toContain('content')
    expect(Buffer.concat(receiver!.raw).toString()).not.toContain('pl4nted')
  })
})
