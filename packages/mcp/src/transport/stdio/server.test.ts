import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { rmSync } from 'node:fs'
import { REVISIONS } from '../../protocol/index.ts'
import { quiet, until, withEnvelope } from '../../testing/fixtures/raw-peer.test.support.ts'
import { bundle } from '../fixtures/bundle.test.node.ts'
import { ProcessPeer } from '../fixtures/process-peer.test.node.ts'

let program: string
const open: ProcessPeer[] = []

beforeAll(async () => {
  program = await bundle(new URL('../fixtures/stdio-server.mjs', import.meta.url))
})
afterEach(() => {
  for (const peer of open.splice(0)) peer.close()
})
afterAll(() => rmSync(program, { force: true }))

function start(args: string[] = [], env: NodeJS.ProcessEnv = {}): ProcessPeer {
  const peer = new ProcessPeer(program, args, env)
  open.push(peer)
  return peer
}

interface ToolText {
  content: [{ text: string }]
}

const call = (name: string, args: object = {}) => ({ name, arguments: args })

describe('serveStdio', () => {
  it('serves until the end of input, then resolves, and the process ends by itself', async () => {
    const peer = start()
    await peer.handshake()
    expect(await peer.request('tools/call', call('echo', { text: 'hi' }))).toMatchObject({
      result: { content: [{ text: 'hi' }] },
    })
    expect(await peer.end()).toBe(0)
    expect(peer.stderr).toContain('served')
  })

  it('what was asked before the end of input is answered after it', async () => {
    const peer = start()
    const slow = peer.start('tools/call', call('slow', { ms: 50 }))
    const first = peer.start('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'c', version: '1' },
    })
    expect(await peer.end()).toBe(0)
    expect(await peer.answerTo(slow)).toHaveProperty('result')
    expect(await peer.answerTo(first)).toHaveProperty('result.protocolVersion')
  })

  it('a tool that never settles does not keep the process', async () => {
    const peer = start()
    peer.start('tools/call', call('never'))
    await peer.request('ping')
    expect(await peer.end()).toBe(0)
  })

  it('ends within two seconds, and some more on a busy machine, where no time is set', async () => {
    const peer = start([], { DRAIN: 'default' })
    await peer.handshake()
    const never = peer.start('tools/call', call('never'))
    await peer.request('ping')
    const began = Date.now()
    expect(await peer.end()).toBe(0)
    expect(Date.now() - began).toBeLessThan(10_000)
    expect(await peer.answerTo(never)).toHaveProperty('error')
  })

  it('a call that is cut off is answered with an error, in both eras', async () => {
    const peer = start()
    await peer.handshake()
    const legacy = peer.start('tools/call', call('never'))
    const modern = peer.start('tools/call', withEnvelope(call('never')))
    await peer.request('ping')
    expect(await peer.end()).toBe(0)
    for (const id of [legacy, modern]) {
      const { error } = await peer.answerTo(id)
      expect(error).toMatchObject({ code: -32603, message: expect.stringContaining('shutting down') })
    }
  })

  it('after the end of input only answers are written: no progress, question or cancellation', async () => {
    const peer = start([], { DRAIN: '1500' })
    await peer.handshake('2025-11-25', { elicitation: {} })
    const chatty = peer.start('tools/call', { ...call('chatty', { ms: 400 }), _meta: { progressToken: 1 } })
    const modern = peer.start('tools/call', withEnvelope({ ...call('chatty', { ms: 400 }) }))
    const asked = peer.start('tools/call', call('ask', { ms: 0 }))
    const asks = peer.start('tools/call', call('ask', { ms: 200 }))
    await until(() => peer.heard.some(({ method }) => method === 'elicitation/create'))
    const heard = peer.heard.length
    expect(await peer.end()).toBe(0)
    const later = peer.heard.slice(heard).filter(({ method }) => method !== undefined)
    // What was on its way when the input ended may still come.
    expect(
      later.filter(({ method }) => method !== 'notifications/progress' && method !== 'notifications/message'),
    ).toEqual([])
    expect(later.length).toBeLessThan(10)
    expect(await peer.answerTo(chatty)).toMatchObject({ result: { content: [{ text: 'talked' }] } })
    expect(await peer.answerTo(modern)).toMatchObject({ result: { content: [{ text: 'talked' }] } })
    for (const id of [asked, asks]) expect(await peer.answerTo(id)).toBeDefined()
  })

  it('a handler that keeps the process busy does not outlive its client for long', async () => {
    const peer = start([], { DRAIN: '1500' })
    const stuck = peer.start('tools/call', call('stuck'))
    await peer.request('ping')
    const began = Date.now()
    expect(await peer.end()).toBe(0)
    expect(Date.now() - began).toBeLessThan(20_000)
    expect(await peer.answerTo(stuck)).toHaveProperty('error')
  })

  it('a bad line gets an error reply and the loop goes on', async () => {
    const peer = start()
    for (const line of ['{', 'null', '[]', '', '   ', '\u0000', '{"jsonrpc":"2.0"}', 'x'.repeat(100_000)]) {
      peer.send(line)
    }
    expect(await peer.request('ping')).toMatchObject({ result: {} })
    const codes = peer.heard
      .filter(({ id }) => id === null)
      .map(({ error }) => (error as { code: number }).code)
    expect(codes).toEqual([-32700, -32600, -32600, -32700, -32600, -32700])
    await peer.said('protocol error -32700')
  })

  it('a slow tool blocks neither ping nor other calls', async () => {
    const peer = start()
    const slow = peer.start('tools/call', call('slow', { ms: 400 }))
    const quick = await Promise.all([
      peer.request('ping'),
      peer.request('tools/call', call('echo', { text: 'x' })),
    ])
    expect(quick).toHaveLength(2)
    expect(peer.heard.some(({ id }) => id === slow)).toBe(false)
    await peer.answerTo(slow)
  })

  it.each(['legacy', 'modern'])('a cancellation of a %s request arrives while its tool runs', async (era) => {
    const peer = start()
    await peer.request('ping')
    const params = call('slow', { ms: 10_000 })
    const id = peer.start('tools/call', era === 'legacy' ? params : withEnvelope(params), 'slow')
    await quiet(30)
    peer.notify('notifications/cancelled', { requestId: id })
    await peer.said('cancelled')
    await peer.request('ping')
    expect(peer.heard.some((message) => message.id === id)).toBe(false)
  })

  it('ping and tools/list typed by hand work without a handshake, unless strict', async () => {
    const peer = start()
    expect(await peer.request('ping')).toMatchObject({ result: {} })
    expect(await peer.request('tools/list')).toHaveProperty('result.tools')
    const strict = start(['--strict'])
    expect(await strict.request('ping')).toMatchObject({ result: {} })
    for (const method of ['tools/list', 'logging/setLevel', 'resources/subscribe', 'nope']) {
      expect(await strict.request(method, { level: 'error', uri: 'x' })).toMatchObject({
        error: { code: -32600, message: 'Not initialized' },
      })
    }
    expect(await strict.modern('tools/list')).toHaveProperty('result.tools')
    await strict.handshake()
    expect(await strict.request('tools/list')).toHaveProperty('result.tools')
  })

  it('whatever a tool prints goes to stderr and never between the messages', async () => {
    const peer = start()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        peer.request('tools/call', call(i % 2 ? 'print' : 'echo', { text: 'x' })),
      ),
    )
    expect(answers).toHaveLength(20)
    for (const line of peer.stdout) expect(() => JSON.parse(line)).not.toThrow()
    expect(peer.stdout.join('')).not.toContain('forged')
    await peer.said('a stray log')
    expect(peer.stderr).toContain('raw bytes without an end')
  })

  it('long texts arrive as they were, among others, in both eras and in a batch', async () => {
    const texts = [
      'plain '.repeat(500_000),
      'a "line" \\ 漢字 😀\uD800\n'.repeat(50_000),
      '\u0000'.repeat(70_000),
    ]
    const peer = start()
    await peer.handshake('2025-03-26')
    for (const ask of [peer.request, peer.modern]) {
      const answers = await Promise.all([
        ...texts.map((text) => ask.call(peer, 'tools/call', call('echo', { text }))),
        ask.call(peer, 'tools/call', call('echo', { text: 'short' })),
      ])
      const got = answers.map(({ result }) => (result as ToolText).content[0].text)
      expect(got.map((text, index) => text === [...texts, 'short'][index])).toEqual([true, true, true, true])
    }
    const request = (id: string, text: string) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: call('echo', { text }),
    })
    peer.send(JSON.stringify([request('a', texts[0]!), request('b', 'short')]))
    const line = await until(() => peer.stdout.find((text) => text.startsWith('[')))
    const batch = JSON.parse(line) as { id: string; result: ToolText }[]
    expect(batch.map(({ id, result }) => [id, result.content[0].text.length])).toEqual([
      ['a', 3_000_000],
      ['b', 5],
    ])
  })

  it('a line over its limit gets a clear error at once and a report; the rest goes on', async () => {
    const peer = start([], { MAX_LINE: '100000' })
    const before = Number(await textOf(peer, 'memory'))
    // 300 MB in one line, and no newline yet: the answer must not wait for it.
    for (let i = 0; i < 300; i++) peer.child.stdin!.write('x'.repeat(1_000_000))
    const refused = await until(() => peer.heard.find(({ id }) => id === null))
    expect(refused).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32600, message: 'Invalid request: the line is longer than 100000 bytes' },
    })
    await peer.said('protocol error -32600')
    peer.child.stdin!.write('\n')
    expect(await peer.request('ping')).toMatchObject({ result: {} })
    expect(peer.heard.filter(({ id }) => id === null)).toHaveLength(1)
    expect(Number(await textOf(peer, 'memory')) - before).toBeLessThan(150_000_000)
  })

  it('an 8 MB message costs time linear in its size', async () => {
    const peer = start()
    // The server's own CPU time: the machine may be busy with something else.
    const cpu = async (): Promise<number> => Number(await textOf(peer, 'cpu'))
    const timeOf = async (size: number): Promise<number> => {
      const text = 'x'.repeat(size)
      let best = Number.POSITIVE_INFINITY
      for (let i = 0; i < 5; i++) {
        const before = await cpu()
        const answer = await peer.request('tools/call', call('size', { text }))
        best = Math.min(best, (await cpu()) - before)
        expect(answer).toMatchObject({ result: { content: [{ text: String(size) }] } })
      }
      return best
    }
    await timeOf(500_000)
    const [small, large] = [await timeOf(1_000_000), await timeOf(8_000_000)]
    // Eight times the size: quadratic would be sixty-four times the time.
    expect(large / small).toBeLessThan(24)
  })

  it('a reader that does not read stops nothing and costs little', async () => {
    const peer = start()
    peer.child.stdout!.pause()
    const id = peer.start('tools/call', call('flood', { count: 40_000 }))
    await quiet(1_500)
    peer.child.stdout!.resume()
    const answer = (await peer.answerTo(id)) as { result: { content: { text: string }[] } }
    // 400 MB were logged; a fraction of it may wait.
    expect(Number(answer.result.content[0]!.text)).toBeLessThan(250)
  })

  it.each(['throwing', 'bigint', 'late'])('the process survives the tool %s', async (name) => {
    const peer = start()
    expect(await peer.request('tools/call', call(name))).toHaveProperty('result')
    await quiet(60)
    expect(await peer.request('ping')).toMatchObject({ result: {} })
    expect(peer.heardOf('notifications/message')).toEqual([])
  })

  it('the same id twice in flight → −32600, and the first is still answered', async () => {
    const peer = start()
    peer.start('tools/call', call('slow', { ms: 80 }), 'twin')
    peer.start('tools/call', call('echo', { text: 'x' }), 'twin')
    await until(() => peer.heard.length === 2)
    expect(peer.heard).toMatchObject([
      { id: 'twin', error: { code: -32600 } },
      { id: 'twin', result: { content: [{ text: 'slow' }] } },
    ])
  })

  it('every revision and both eras on one pipe', async () => {
    const peer = start()
    for (const revision of REVISIONS) {
      const params = call('echo', { text: revision })
      const isModern = revision === '2026-07-28'
      if (!isModern) await peer.handshake(revision)
      const answer = await (isModern ? peer.modern('tools/call', params) : peer.request('tools/call', params))
      expect(answer).toMatchObject({ result: { content: [{ text: revision }] } })
    }
  })
})

async function textOf(peer: ProcessPeer, name: string): Promise<string> {
  const answer = (await peer.request('tools/call', call(name))) as { result: { content: { text: string }[] } }
  return answer.result.content[0]!.text
}
