import { expect, it, describe } from 'vitest'
import { ReportLimit } from './reports.ts'
import { PassThrough } from 'node:stream'
import { Server, tool } from '../server/index.ts'
import { HOST_KINDS, HttpHost } from './fixtures/http-hosts.test.node.ts'
import { serveStream } from './stdio/serve-stream.node.ts'

it('lets some through each second and counts the others', () => {
  let now = 0
  const limit = new ReportLimit(2, () => now)
  const take = (times: number): (number | undefined)[] => Array.from({ length: times }, () => limit.take())
  expect(take(5)).toEqual([0, 0, undefined, undefined, undefined])
  now = 999
  expect(take(1)).toEqual([undefined])
  now = 1000
  expect(take(3)).toEqual([4, 0, undefined])
  now = 5000
  expect(take(2)).toEqual([1, 0])
})

const createApp = (): Server => new Server({ name: 's', tools: { a: tool({ run: () => '' }) } }) as Server
const onProtocolError = (): never => {
  throw new Error('the log is broken')
}

describe('a log that throws', () => {
  it.each(HOST_KINDS)('does not change what is answered over HTTP (%s)', async (kind) => {
    await using host = await HttpHost.open(kind, createApp(), { onProtocolError, maxBodyBytes: 100 })
    expect((await host.post('{')).status).toBe(400)
    expect((await host.post('x'.repeat(1_000))).status).toBe(413)
  })

  it('does not end a connection', async () => {
    const input = new PassThrough()
    const output = new PassThrough()
    const served = serveStream(createApp(), input, output, { onProtocolError, maxLineBytes: 100 })
    input.end(`{\n${'x'.repeat(1_000)}\n{"jsonrpc":"2.0","id":1,"method":"ping"}\n`)
    await served
    const answers = String(output.read()).trim().split('\n')
    expect(answers.map((line) => JSON.parse(line))).toMatchObject([
      { error: { code: -32700 } },
      { error: { code: -32600 } },
      { id: 1, result: {} },
    ])
  })
})
