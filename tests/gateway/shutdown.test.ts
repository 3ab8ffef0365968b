import { afterEach, describe, expect, it } from 'vitest'
import { Server, tool } from '@gantry/mcp/server'
import { modernRequest } from '../support/raw-client.ts'
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
  const atTarget = (): number => gateway.gateway.view.running.filter(({ target }) => target === 'slow').length
  await expect.poll(atTarget).toBe(calls)
  const began = Date.now()
  await gateway.close()
  expect(Date.now() - began).toBeLessThan(4000)
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
