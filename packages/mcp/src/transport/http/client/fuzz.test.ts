import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { McpError } from '../../../jsonrpc/index.ts'
import { call, event, modern, open, progress, until } from './harness.test.node.ts'
import type { FetchLike } from './quick-fetch.ts'
import { sse } from './sse-client.ts'

const rejections: unknown[] = []
const record = (reason: unknown): void => void rejections.push(reason)
beforeAll(() => void process.on('unhandledRejection', record))
afterAll(() => void process.off('unhandledRejection', record))

/** Pieces that a real server sends, to be cut, mixed and repeated. */
const piece = fc.oneof(
  fc.string(),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
  fc.constantFrom(
    event(progress(1)),
    event({ jsonrpc: '2.0', id: 1, result: {} }),
    event({ jsonrpc: '2.0', id: null, error: { code: 1, message: '' } }),
    event([{ jsonrpc: '2.0', id: 1, error: { code: 'x' } }]),
    event({ jsonrpc: '2.0', id: 1, method: 'roots/list' }),
    'id: 7\nretry: 1\ndata:\n\n',
    'event: endpoint\ndata: /messages\n\n',
    'event: endpoint\ndata: https://other.example/\n\n',
    '{"jsonrpc":"2.0","id":1,"result":{}}',
    '[{"jsonrpc":"2.0"},null,7]',
    '\r\n',
    '\ufeff',
  ),
)

const answer = fc.record({
  status: fc.constantFrom(200, 200, 200, 202, 204, 302, 307, 400, 401, 403, 404, 405, 500),
  type: fc.constantFrom(
    'application/json',
    'text/event-stream',
    'text/event-stream; charset=x',
    'text/html',
    '',
  ),
  extra: fc.dictionary(
    fc.constantFrom('location', 'mcp-session-id', 'content-length', 'www-authenticate', 'content-encoding'),
    fc.constantFrom(
      '/',
      'https://other.example/',
      '5',
      '-1',
      'x y',
      'Bearer error="insufficient_scope"',
      '\t',
    ),
  ),
  pieces: fc.array(piece, { maxLength: 6 }),
  end: fc.constantFrom('close', 'break', 'hang'),
})
type Answer = typeof answer extends fc.Arbitrary<infer T> ? T : never

/** A `fetch` that answers as it is told, and knows which bodies are still open. */
function fakeFetch(answers: Answer[]): { fetch: FetchLike; open: Set<object> } {
  const open = new Set<object>()
  let next = 0
  const fetch: FetchLike = async (_, { signal }) => {
    signal?.throwIfAborted()
    const { status, type, extra, pieces, end } = answers[next++ % answers.length]!
    const headers = new Headers(type === '' ? extra : { ...extra, 'content-type': type })
    if (status === 204) return new Response(null, { status, headers })
    const queue = pieces.map((one) => new TextEncoder().encode(one))
    const body = {}
    open.add(body)
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        signal?.addEventListener('abort', () => open.delete(body) && controller.error(signal.reason))
      },
      pull: (controller) => {
        const chunk = queue.shift()
        if (chunk !== undefined) return controller.enqueue(chunk)
        if (end === 'hang') return
        open.delete(body)
        if (end === 'close') controller.close()
        else controller.error(new TypeError('terminated'))
      },
      cancel: () => void open.delete(body),
    })
    return new Response(stream, { status, headers })
  }
  return { fetch, open }
}

/** Talks to one server of nonsense in every way there is. Rejects with what went wrong, if anything did. */
async function visit(answers: Answer[]): Promise<void> {
  const { fetch, open: bodies } = fakeFetch(answers)
  const options = { connectTimeout: 50, maxMessageBytes: 500, fetch }
  const reconnect = { initialDelay: 1, maxDelay: 2, maxAttempts: 2 }
  const wire = await open('http://test.example/mcp', options, reconnect)
  wire.startListening?.()
  const signal = AbortSignal.timeout(300)
  const requests = [
    wire.request({ ...call(), id: 1 }, { signal }),
    wire.request({ ...modern('tools/list'), id: 1 }, { signal }),
    wire.send({ jsonrpc: '2.0', method: 'x' }),
    sse('http://test.example/sse', options)
      .open({ signal })
      .then((opened) => opened.close()),
  ]
  for (const settled of await Promise.allSettled(requests)) {
    if (settled.status === 'rejected') expect(settled.reason).toBeInstanceOf(McpError)
  }
  await wire.close()
  await until(() => bodies.size === 0)
}

describe('the HTTP clients against nonsense', () => {
  it('every request settles with a response or an McpError, and nothing stays open', async () => {
    const servers = fc.sample(fc.array(answer, { minLength: 1, maxLength: 4 }), 300)
    const unfinished = new Set(servers)
    // All at once: each may take as long as the slowest limit.
    const visits = servers.map((answers) => visit(answers).then(() => unfinished.delete(answers)))
    const late = new Promise<void>((resolve) => setTimeout(resolve, 15_000))
    await Promise.race([Promise.all(visits), late])
    expect([...unfinished]).toEqual([])
    expect(rejections).toEqual([])
  })
})
