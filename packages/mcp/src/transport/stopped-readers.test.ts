import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { Server, tool } from '../server/index.ts'
import { envelope } from '../testing/fixtures/both-eras.test.support.ts'
import { until } from '../testing/fixtures/raw-peer.test.support.ts'
import { bundle } from './fixtures/bundle.test.node.ts'
import { serveStream } from './stdio/serve-stream.node.ts'
import { serveSocket } from './stdio/socket-server.node.ts'
import { UnreadAnswers } from './held-bytes.ts'

const MB = 1024 * 1024
const LARGE = 4 * MB

const app = (): Server =>
  new Server({
    name: 's',
    tools: {
      large: tool({ run: () => 'x'.repeat(LARGE) }),
      small: tool({ run: () => 'pong' }),
    },
  }) as Server

const callOf = (id: number, name: string): string =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, ...envelope() } })}\n`

describe('a client that stops reading its pipe', () => {
  it('is refused long answers beyond its share, and gets the short ones', async () => {
    const unread = new UnreadAnswers({
      stallTimeout: 60_000,
      held: { perCaller: 2.5 * LARGE, total: 10 * LARGE },
    })
    const input = new PassThrough()
    const output = new PassThrough()
    const served = serveStream(app(), input, output, { unread })
    for (let id = 1; id <= 6; id++) input.write(callOf(id, 'large'))
    input.write(callOf(7, 'small'))
    await until(() => unread.held > LARGE)
    expect(unread.held).toBeLessThanOrEqual(2.6 * LARGE)
    let heard = ''
    output.on('data', (chunk) => {
      heard += chunk.toString()
    })
    await until(() => heard.includes('pong'))
    const lines = heard.trimEnd().split('\n')
    expect(lines.filter(({ length }) => length > LARGE)).toHaveLength(2)
    const refused = lines.filter((line) => line.includes('"reason":"unread_answers"'))
    expect(refused.map((line) => JSON.parse(line).id)).toEqual([3, 4, 5, 6])
    await until(() => unread.held === 0)
    input.end()
    await served
  })

  it('is left after the time-out, and it is said why', async () => {
    const unread = new UnreadAnswers({ stallTimeout: 100, held: { perCaller: 100 * MB, total: 100 * MB } })
    const input = new PassThrough()
    const said: string[] = []
    const served = serveStream(app(), input, new PassThrough(), {
      unread,
      onCutOff: ({ message }) => said.push(message),
    })
    input.write(callOf(1, 'large'))
    await served
    expect(said).toEqual([expect.stringMatching(/^The client has read nothing for \d+ ms/)])
    expect(unread.held).toBe(0)
  })

  it('is not left as long as it goes on reading', async () => {
    const unread = new UnreadAnswers({ stallTimeout: 300, held: { perCaller: 100 * MB, total: 100 * MB } })
    const input = new PassThrough()
    const output = new PassThrough()
    const served = serveStream(app(), input, output, { unread })
    input.write(callOf(1, 'large'))
    let length = 0
    const began = Date.now()
    while (length < LARGE) {
      length += output.read()?.length ?? 0
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    expect(Date.now() - began).toBeGreaterThan(300)
    input.end()
    await served
  })

  it('loses its socket', async () => {
    const unread = new UnreadAnswers({ stallTimeout: 100, held: { perCaller: 100 * MB, total: 100 * MB } })
    const { server, close } = await serveSocket(app(), { port: 0 }, { unread })
    const socket = connect((server.address() as { port: number }).port, '127.0.0.1').pause()
    for (let id = 1; id <= 6; id++) socket.write(callOf(id, 'large'))
    await until(() => unread.held > 0)
    await until(() => unread.held === 0)
    socket.resume()
    await once(socket, 'close')
    await close()
  })

  it('ends the process of a server on stdio, which says why on stderr', async () => {
    const program = await bundle(new URL('./fixtures/stdio-server.mjs', import.meta.url))
    const child = spawn(process.execPath, [program], { stdio: 'pipe', env: { ...process.env, STALL: '100' } })
    let said = ''
    child.stderr.on('data', (chunk) => {
      said += chunk
    })
    const params = { name: 'echo', arguments: { text: 'x'.repeat(LARGE) }, ...envelope() }
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })}\n`)
    // Nobody reads stdout and nobody ends stdin.
    const [code] = await once(child, 'exit')
    expect(code).toBe(1)
    expect(said).toMatch(/The client has read nothing for \d+ ms/)
  })
})
