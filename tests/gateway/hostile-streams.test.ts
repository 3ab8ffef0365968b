import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { connect, type Client } from '@gantry/mcp/client'
import { messageOf, namedTool, scriptedTarget, type ScriptedCall } from '../support/scripted-target.ts'
import { testGateway } from '../support/start-gateway.ts'

const FLOOD = fileURLToPath(new URL('../fixtures/sse-flood-server.mjs', import.meta.url))
const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** Starts the target that floods, in a process of its own, and resolves with its URL. */
async function floodingTarget(): Promise<string> {
  const child = spawn(process.execPath, [FLOOD], { stdio: ['ignore', 'pipe', 'inherit'] })
  closing.push(() => child.kill('SIGKILL'))
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  return String(line).trim()
}

async function clientOf(mcpServers: object): Promise<Client> {
  const gateway = await testGateway({ mcpServers })
  closing.push(() => gateway.close())
  const client = await connect(gateway.endpoint)
  closing.push(() => client.close())
  return client
}

type Answer = (call: ScriptedCall) => object | undefined

async function answering(answer: Answer, tool: object = namedTool('echo')) {
  const target = await scriptedTarget({ 'tools/list': () => ({ tools: [tool] }), 'tools/call': answer })
  closing.push(() => target.close())
  const client = await clientOf({ web: { url: target.url, timeouts: { idle: 2000 } } })
  const calls = () => target.calls.filter(({ method }) => method === 'tools/call').length
  return { client, calls }
}

const event = (message: object): string => `data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`
const hello = { content: [{ type: 'text', text: 'hello' }] }

describe('a target that floods its event stream with junk', () => {
  it('is given up in time, and the others hardly notice', async () => {
    const good = await scriptedTarget()
    closing.push(() => good.close())
    const client = await clientOf({
      bad: { url: await floodingTarget(), timeouts: { idle: 4000 } },
      good: { url: good.url },
    })
    const flooded = client.call('bad_flood').catch((error: unknown) => error)
    // Long enough for the flood to be in full flow.
    await new Promise((resolve) => setTimeout(resolve, 500))
    const began = Date.now()
    for (let call = 0; call < 10; call++) await client.call('good_echo')
    expect(Date.now() - began).toBeLessThan(10_000)
    expect(await flooded).toMatchObject({ data: { target: 'bad', reason: 'timeout' } })
  })
})

describe('an event stream', () => {
  it('may hold junk, foreign answers and progress of other calls: the answer is found', async () => {
    const { client } = await answering(({ id, params, response }) => {
      const token = params._meta.progressToken
      const progress = (progressToken: unknown, done: number) =>
        event({ method: 'notifications/progress', params: { progressToken, progress: done } })
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: not json\n\nevent: other\ndata: {}\n\nid: \u0000\nretry: soon\nbogus\n\n')
      response.write(progress(token + 1000, 50) + progress('mine', 60) + progress(token, 1))
      response.write(event({ id: 987654, result: hello }) + event({ method: 7 }))
      response.write('data: {"jsonrpc":\n\n')
      response.end(`data: ${messageOf(id, hello)}\n\n`)
      return undefined
    })
    const seen: number[] = []
    const result = await client.call('web_echo', {}, { onProgress: ({ progress }) => seen.push(progress) })
    expect(result.text()).toBe('hello')
    expect(seen).toEqual([1])
  })

  it.each(['in a JSON body', 'after progress', 'before anything'])(
    'that breaks off %s is an error',
    async (when) => {
      const { client, calls } = await answering(({ id, response }) => {
        if (when === 'before anything') response.destroy()
        const isBody = when === 'in a JSON body'
        response.writeHead(200, { 'content-type': isBody ? 'application/json' : 'text/event-stream' })
        response.write(isBody ? messageOf(id, hello).slice(0, 20) : ': hello\n\n', () => response.destroy())
        return undefined
      })
      await expect(client.call('web_echo')).rejects.toMatchObject({
        message: expect.stringContaining('Target "web"'),
        data: { target: 'web', mayHaveHappened: true },
      })
      expect(calls()).toBe(1)
    },
  )

  it('that breaks off is asked for once more when the tool may be called twice', async () => {
    let first = true
    const answer: Answer = ({ id, params, response }) => {
      const progress = (value: number) => {
        const { progressToken } = params._meta
        return event({ method: 'notifications/progress', params: { progressToken, progress: value } })
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      if (first) response.write(progress(1), () => response.destroy())
      else
        response.end(progress(1) + progress(2) + event({ id, result: { resultType: 'complete', ...hello } }))
      first = false
      return undefined
    }
    const tool = namedTool('echo', { annotations: { idempotentHint: true } })
    const { client, calls } = await answering(answer, tool)
    const steps: number[] = []
    const onProgress = ({ progress }: { progress: number }) => void steps.push(progress)
    expect((await client.call('web_echo', {}, { onProgress })).text()).toBe('hello')
    expect(calls()).toBe(2)
    // What the client has heard already is not said again: progress only ever increases.
    expect(steps).toEqual([1, 2])
  })
})

/** Writes so many pieces, or until the other side has had enough. */
function writeForEver(socket: Socket, piece: string, left: number): void {
  const goOn = (): void => {
    for (; left > 0 && !socket.destroyed; left--) {
      if (!socket.write(piece)) return void socket.once('drain', goOn)
    }
  }
  socket.on('error', () => {})
  goOn()
}

const PIECE = 'x'.repeat(256 * 1024)
const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n'

describe('an answer of a target that is no answer', () => {
  it.each([
    ['one line of a gigabyte', (socket: Socket) => writeForEver(socket, PIECE, 4096), `${HEAD}\r\ndata: `],
    ['headers without an end', (socket: Socket) => writeForEver(socket, 'x-more: y\r\n', 1e6), HEAD],
    ['a reset in the middle of an event', (socket: Socket) => socket.resetAndDestroy(), `${HEAD}\r\ndata: {`],
    ['a reset in the headers', (socket: Socket) => socket.resetAndDestroy(), HEAD],
  ])('%s is an error that names the target; the next call is answered', async (_, attack, head) => {
    let isHostile = true
    const target = await scriptedTarget({
      'tools/call': ({ response }) => {
        if (!isHostile) return hello
        const socket = response.socket as Socket
        socket.write(head, () => attack(socket))
        return undefined
      },
    })
    closing.push(() => target.close())
    const limits = { resultBytes: '8mb' }
    const gateway = await testGateway({ server: { limits }, mcpServers: { web: { url: target.url } } })
    closing.push(() => gateway.close())
    const client = await connect(gateway.endpoint)
    closing.push(() => client.close())
    await expect(client.call('web_echo')).rejects.toThrow(/web/)
    isHostile = false
    expect((await client.call('web_echo')).text()).toBe('hello')
  })
})
