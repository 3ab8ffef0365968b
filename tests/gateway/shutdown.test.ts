import { afterEach, describe, expect, it } from 'vitest'
import { Server, tool } from '@gantry/mcp/server'
import { halfRequest } from '../../packages/mcp/src/transport/fixtures/half-request.test.node.ts'
import { modernRequest, openSession } from '../support/raw-client.ts'
import { testGateway, type TestGateway } from '../support/start-gateway.ts'

let gateway: TestGateway
afterEach(() => gateway?.close())

const MESSAGE = /shutting down/
const CLIENT = { protocolVersion: '2025-11-25', clientInfo: { name: 'test', version: '1' } }

async function start(): Promise<void> {
  const never = (): Promise<string> => new Promise(() => {})
  const slow = new Server({
    name: 'slow',
    tools: {
      wait: tool({ run: never }),
      talk: tool({ run: (_args, ctx) => ctx.progress(1).then(never) }),
      ask: tool({ run: (_args, ctx) => ctx.confirm('Really?').then(String) }),
    },
  })
  gateway = await testGateway(
    { mcpServers: { slow: { module: 'slow' } }, server: { shutdownGrace: 100 } },
    { embedded: new Map([['slow', slow]]) },
  )
}

function post(url: string, message: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
  })
}

/** Stops the gateway when so many calls are at the target. */
async function stop(calls = 1): Promise<void> {
  const atTarget = (): number =>
    gateway.gateway.exchanges.running.filter(({ target }) => target === 'slow').length
  await expect.poll(atTarget).toBe(calls)
  const began = Date.now()
  await gateway.close()
  expect(Date.now() - began).toBeLessThan(30_000)
}

describe('a call that is still under way when the time to end is over is answered with an error', () => {
  it('a modern one, as a body and on a stream', async () => {
    await start()
    const body = modernRequest(gateway.endpoint, 'tools/call', { name: 'slow_wait', arguments: {} })
    const _meta = { progressToken: 'p' }
    const stream = modernRequest(gateway.endpoint, 'tools/call', { name: 'slow_talk', arguments: {}, _meta })
    await stop(2)
    for (const { message } of [await body, await stream]) {
      expect(message.error).toMatchObject({ code: -32603, message: expect.stringMatching(MESSAGE) })
    }
  })

  it('a legacy one, also while it waits for an answer of its client', async () => {
    await start()
    const capabilities = { elicitation: {} }
    const opened = await post(gateway.endpoint, {
      id: 1,
      method: 'initialize',
      params: { ...CLIENT, capabilities },
    })
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id')! }
    await post(gateway.endpoint, { method: 'notifications/initialized' }, session)
    const call = (id: number, name: string): Promise<Response> =>
      post(gateway.endpoint, { id, method: 'tools/call', params: { name, arguments: {} } }, session)
    const wait = call(2, 'slow_wait')
    const ask = call(3, 'slow_ask')
    const asking = await ask
    await stop(2)
    expect(await (await wait).json()).toMatchObject({
      id: 2,
      error: { message: expect.stringMatching(MESSAGE) },
    })
    expect(await asking.text()).toMatch(/"id":3.*shutting down/)
  })

  it('one over HTTP+SSE', async () => {
    await start()
    const stream = await fetch(`${gateway.url}/sse`, { headers: { accept: 'text/event-stream' } })
    const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader()
    let heard = (await reader.read()).value ?? ''
    const address = gateway.url + /data: (\S+)/.exec(heard)![1]
    await post(address, { id: 1, method: 'initialize', params: { ...CLIENT, capabilities: {} } })
    await post(address, { method: 'notifications/initialized' })
    await post(address, { id: 2, method: 'tools/call', params: { name: 'slow_wait', arguments: {} } })
    const rest = (async () => {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return
        heard += value
      }
    })()
    await stop()
    await rest
    expect(heard).toMatch(/"id":2.*shutting down/)
  })
})

describe('a request that comes while the gateway stops', () => {
  /** Its body is complete when the gateway has begun to stop. */
  async function askWhileStopping(message: object, headers: Record<string, string> = {}): Promise<string> {
    const busy = modernRequest(gateway.endpoint, 'tools/call', { name: 'slow_wait', arguments: {} })
    const atTarget = () => gateway.gateway.exchanges.running.filter(({ target }) => target === 'slow').length
    await expect.poll(atTarget).toBe(1)
    const text = JSON.stringify({ jsonrpc: '2.0', ...message })
    const arrived = new Promise((resolve) => gateway.front.server.once('request', resolve))
    const { socket, answer, closed } = halfRequest(Number(new URL(gateway.url).port), {
      headers,
      announced: text.length + 1,
      sent: 1,
    })
    await arrived
    const stopped = gateway.front.close(500)
    socket.write(text)
    await Promise.all([stopped, closed, busy])
    expect(atTarget()).toBe(1)
    return answer()
  }

  const refusal = /HTTP\/1\.1 503 .*retry-after: \d+.*"id":1.*"reason":"shutting_down"/is
  const params = { name: 'slow_wait', arguments: {} }

  it('is refused with 503 and Retry-After when it is modern', async () => {
    await start()
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const message = { id: 1, method: 'tools/call', params: { ...params, _meta } }
    const headers = {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'slow_wait',
    }
    expect(await askWhileStopping(message, headers)).toMatch(refusal)
  })

  it('is refused with 503 and Retry-After when it is legacy', async () => {
    await start()
    const session = await openSession(gateway.endpoint)
    const message = { id: 1, method: 'tools/call', params }
    expect(await askWhileStopping(message, { 'mcp-session-id': session })).toMatch(refusal)
  })
})
