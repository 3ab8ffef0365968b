import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { McpError } from '../../jsonrpc/index.ts'
import { LineWire } from './line-wire.node.ts'

const encoder = new TextEncoder()

class TestWire extends LineWire {
  readonly kind = 'test'

  async close(): Promise<void> {}
}

interface Fake {
  link: LineWire
  written: string[]
  errors: McpError[]
  receive(...lines: unknown[]): void
}

function makeLink(maxLineBytes = 1000): Fake {
  const written: string[] = []
  const errors: McpError[] = []
  const link = new TestWire({
    sink: {
      write: (line, done) => {
        written.push(line)
        done?.()
      },
    },
    key: 'server',
    maxLineBytes,
    facts: () => ({ stderr: ['tail'] }),
    onProtocolError: (error) => errors.push(error),
  })
  const receive = (...lines: unknown[]): void => {
    link.push(encoder.encode(lines.map((line) => `${JSON.stringify(line)}\n`).join('')))
  }
  return { link, written, errors, receive }
}

function ping(link: LineWire, id: string | number): Promise<unknown> {
  return link.request({ jsonrpc: '2.0', id, method: 'ping' }).catch((error: unknown) => error)
}

const NULL_ID = { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'what?' } }

describe('LineWire', () => {
  it('takes batches, as 2025-03-26 wants', async () => {
    const { link, receive } = makeLink()
    const messages: unknown[] = []
    link.onMessage = (message) => messages.push(message)
    const answers = [ping(link, 1), ping(link, 2)]
    receive([
      { jsonrpc: '2.0', id: 2, result: { n: 2 } },
      { jsonrpc: '2.0', method: 'notifications/message' },
      { jsonrpc: '2.0', id: 1, result: { n: 1 } },
    ])
    expect(await Promise.all(answers)).toMatchObject([{ result: { n: 1 } }, { result: { n: 2 } }])
    expect(messages).toHaveLength(1)
  })

  it('reads a long answer with bytes that are no UTF-8 like any other line', async () => {
    const { link } = makeLink(100_000)
    const answer = link.request({ jsonrpc: '2.0', id: 1, method: 'ping' }, { takesBytes: true })
    const result = { short: '?', long: 'x'.repeat(20_000) }
    const line = encoder.encode(`${JSON.stringify({ jsonrpc: '2.0', id: 1, result })}\n`)
    line[line.indexOf('?'.charCodeAt(0))] = 0xff
    for (let at = 0; at < line.length; at += 1_000) link.push(line.subarray(at, at + 1_000))
    expect(await answer).toMatchObject({ id: 1, result: { short: '\ufffd' } })
  })

  it('gives an error with a null id to the only request that can have caused it', async () => {
    const { link, receive, errors } = makeLink()
    const answer = ping(link, 1)
    receive(NULL_ID)
    expect(await answer).toMatchObject({ error: { code: -32600 } })
    expect(errors).toEqual([])
  })

  it('gives it to no request when a notification or another request can have caused it', () => {
    const { link, receive, errors } = makeLink()
    ping(link, 1)
    link.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
    receive(NULL_ID)
    ping(link, 2)
    receive(NULL_ID)
    expect(errors).toHaveLength(2)
  })

  it('fails a request at once whose answer is not JSON-RPC', async () => {
    const { link, receive } = makeLink()
    const answers = [ping(link, 1), ping(link, 2), ping(link, 3)]
    receive({ jsonrpc: '2.0', id: 1 }, { id: 2, result: {} }, { jsonrpc: '2.0', id: 3, result: 'text' })
    for (const error of await Promise.all(answers)) {
      expect(error).toMatchObject({ code: 'bad_response', details: { stderr: ['tail'] } })
    }
  })

  it('leaves a pending request alone when the server asks with the same id', async () => {
    const { link, receive } = makeLink()
    const answer = ping(link, 1)
    receive({ id: 1, method: 'roots/list' }, { jsonrpc: '2.0', id: 1, result: {} })
    expect(await answer).toMatchObject({ result: {} })
  })

  it('goes on when a handler throws, and reports it', async () => {
    const { link, receive, errors } = makeLink()
    link.onMessage = () => {
      throw new Error('mine')
    }
    const answer = ping(link, 1)
    receive({ jsonrpc: '2.0', method: 'x' }, { jsonrpc: '2.0', id: 1, result: {} })
    expect(await answer).toMatchObject({ result: {} })
    expect(errors).toMatchObject([{ code: 'bad_response', cause: { message: 'mine' } }])
  })

  it('delivers nothing after its end, not even the rest of a chunk', async () => {
    const { link, receive, errors } = makeLink()
    let messages = 0
    link.onMessage = () => {
      messages += 1
      link.end(() => new McpError('closed', 'over'))
    }
    const answer = ping(link, 1)
    receive(
      { jsonrpc: '2.0', method: 'x' },
      { jsonrpc: '2.0', method: 'x' },
      { jsonrpc: '2.0', id: 1, result: {} },
    )
    receive({ jsonrpc: '2.0', method: 'x' })
    expect(messages).toBe(1)
    expect(await answer).toMatchObject({ code: 'closed' })
    expect(errors).toEqual([])
  })

  it('survives any bytes, cut anywhere, and still answers', async () => {
    const line = fc.oneof(
      fc.uint8Array({ maxLength: 60 }),
      fc.jsonValue().map((value) => encoder.encode(`${JSON.stringify(value)}\n`)),
      fc
        .record(
          {
            jsonrpc: fc.constantFrom('2.0', 2),
            id: fc.jsonValue(),
            result: fc.jsonValue(),
            error: fc.jsonValue(),
          },
          { requiredKeys: [] },
        )
        .map((value) => encoder.encode(`${JSON.stringify(value)}\n`)),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(line), fc.integer({ min: 1, max: 40 }), async (parts, cut) => {
        const { link, receive } = makeLink(50)
        const bytes = Uint8Array.from(parts.flatMap((part) => [...part]))
        for (let at = 0; at < bytes.length; at += cut) link.push(bytes.slice(at, at + cut))
        link.push(encoder.encode('\n'))
        const answer = ping(link, 'an id that is not in the noise')
        receive({ jsonrpc: '2.0', id: 'an id that is not in the noise', result: {} })
        expect(await answer).toMatchObject({ code: 'too_large' })
        const short = ping(link, 'q!')
        receive({ id: 'q!', jsonrpc: '2.0', result: {} })
        expect(await short).toMatchObject({ result: {} })
      }),
    )
  })
})
