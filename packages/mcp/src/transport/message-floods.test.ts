import { describe, expect, it } from 'vitest'
import { Server, tool } from '../server/index.ts'
import { until } from '../testing/fixtures/raw-peer.test.support.ts'
import { HOST_KINDS, HttpHost, type HostKind } from './fixtures/http-hosts.test.node.ts'

const MB = 1024 * 1024
/** Together far more than a stream may hold for its reader and the system for a socket. */
const MESSAGES = 20_000
const LONG = 'x'.repeat(1024)

interface Flood {
  readonly app: Server
  /** The most that was held for readers. */
  readonly most: () => number
  host?: HttpHost
  isOver: boolean
}

function flood(): Flood {
  let most = 0
  const state: Flood = {
    isOver: false,
    most: () => most,
    app: new Server({
      name: 's',
      tools: {
        flood: tool({
          run: async (_args, ctx) => {
            for (let sent = 1; sent <= MESSAGES; sent++) {
              await ctx.log('error', LONG)
              await ctx.progress(sent, MESSAGES, LONG)
              if (sent % 200 > 0) continue
              most = Math.max(most, state.host!.service.meter.answers.held)
              await new Promise((resolve) => setImmediate(resolve))
            }
            state.isOver = true
            return 'all said'
          },
        }),
        small: tool({ run: () => 'pong' }),
      },
    }) as Server,
  }
  return state
}

const params = { name: 'flood', _meta: { progressToken: 1, 'io.modelcontextprotocol/logLevel': 'error' } }
const call = { jsonrpc: '2.0', id: 7, method: 'tools/call', params }

/** Each returns a response that nobody reads yet. */
const CLIENTS = {
  'a modern client': (host: HttpHost) => host.modern('tools/call', params),
  'a client with a session': async (host: HttpHost) => host.post(call, await host.session()),
  'a client of HTTP+SSE': async (host: HttpHost) => {
    const stream = await host.request({ method: 'GET', headers: { accept: 'text/event-stream' } })
    const [own, theirs] = stream.body!.tee()
    const { value } = await own.getReader().read()
    const [, path] = /data: (\S+)/.exec(new TextDecoder().decode(value))!
    const post = (message: object): Promise<Response> =>
      fetch(`http://127.0.0.1:${host.port}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(message),
      })
    const clientInfo = { name: 'c', version: '1' }
    const hello = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo }
    await post({ jsonrpc: '2.0', id: 1, method: 'initialize', params: hello })
    await post({ jsonrpc: '2.0', method: 'notifications/initialized' })
    await post(call)
    return new Response(theirs)
  },
}

/** Reads until the answer to the call is there. */
async function answerIn(response: Response): Promise<string> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let last = ''
  for (;;) {
    const { value, done } = await reader.read()
    last = (last + (value ?? '')).slice(-5000)
    if (done || last.includes('all said')) break
  }
  await reader.cancel().catch(() => {})
  return last
}

const cases = Object.entries(CLIENTS).flatMap(([name, ask]) =>
  HOST_KINDS.filter((kind) => kind === 'node' || !name.includes('SSE')).map((kind) => ({ name, ask, kind })),
)

describe('a flood of progress and log messages', () => {
  it.each(cases)(
    'for $name that is slow ($kind): some are dropped, and its answer arrives',
    async ({ ask, kind }: { ask: (host: HttpHost) => Promise<Response>; kind: HostKind }) => {
      const state = flood()
      await using host = await HttpHost.open(kind, state.app)
      state.host = host
      const response = await ask(host)
      await until(() => state.isOver)
      expect(state.most()).toBeLessThan(2 * MB)
      // The slow one reads no further until this is answered.
      expect((await host.modern('tools/call', { name: 'small' })).status).toBe(200)
      expect(await answerIn(response)).toContain('all said')
    },
  )
})
