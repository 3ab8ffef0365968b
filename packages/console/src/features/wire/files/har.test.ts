import { beforeAll, describe, expect, it } from 'vitest'
import type { WireDetail } from '../../../api/contract.ts'
import { fromHar, toHar } from './har.ts'
import { readExchanges } from './imported.ts'

beforeAll(() => {
  Object.assign(globalThis, { location: { origin: 'http://127.0.0.1:8080' } })
})

const exchange: WireDetail = {
  id: 7,
  at: Date.UTC(2026, 0, 1),
  method: 'tools/call',
  name: 'a_b',
  target: 'a',
  client: { name: 'x', revision: '2026-07-28' },
  status: 'ok',
  duration: 12,
  messages: 2,
  hops: [
    {
      seq: 0,
      at: 0,
      offset: 0,
      hop: 'client',
      direction: 'in',
      type: 'request',
      method: 'tools/call',
      message: { method: 'tools/call', params: { name: 'a_b' } },
      bytes: 40,
      truncated: false,
    },
    {
      seq: 1,
      at: 12,
      offset: 12,
      hop: 'client',
      direction: 'out',
      type: 'response',
      message: { result: { content: [] } },
      bytes: 20,
      truncated: false,
    },
  ],
}

describe('archives', () => {
  it('bring back what was written', () => {
    const text = toHar([exchange])
    expect(fromHar(JSON.parse(text))).toEqual([exchange])
    expect(readExchanges(text)).toEqual([exchange])
  })

  it('have the parts that other programs read', () => {
    const { log } = JSON.parse(toHar([exchange]))
    expect(log).toMatchObject({
      version: '1.2',
      entries: [
        {
          startedDateTime: '2026-01-01T00:00:00.000Z',
          time: 12,
          request: {
            method: 'POST',
            url: 'http://127.0.0.1:8080/mcp',
            cookies: [],
            headers: expect.any(Array),
          },
          response: { status: 200, content: { mimeType: 'application/json' } },
          timings: { send: 0, wait: 12, receive: 0 },
        },
      ],
    })
    expect(JSON.parse(log.entries[0].request.postData.text)).toMatchObject({
      jsonrpc: '2.0',
      method: 'tools/call',
    })
  })

  it('of a browser are read: bodies, streams of events, and nothing that is no JSON-RPC', () => {
    const entry = (text: string | undefined, answer: string, status = 200) => ({
      startedDateTime: '2026-01-01T00:00:00Z',
      time: 30,
      request: { url: 'https://example.com/mcp', postData: { text } },
      response: { status, content: { text: answer } },
    })
    const call = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add"}}'
    const found = fromHar({
      log: {
        entries: [
          entry(call, '{"jsonrpc":"2.0","id":1,"result":{"isError":true}}'),
          entry(
            call,
            'event: message\ndata: {"method":"x"}\n\ndata: {"id":1,"error":{"code":1,"message":"no"}}\n\n',
          ),
          entry(undefined, '<html>'),
          entry('user=me', 'ok'),
        ] as never,
      },
    })
    expect(found).toMatchObject([
      {
        id: 1,
        name: 'add',
        status: 'tool-error',
        duration: 30,
        hops: [{ type: 'request' }, { type: 'response' }],
      },
      { id: 2, name: 'add', status: 'error', hops: [{ type: 'request' }, { type: 'error' }] },
    ])
  })

  it('and exports in lines are told apart, and anything else is refused', () => {
    const lines = [exchange, { ...exchange, id: 8 }].map((one) => JSON.stringify(one)).join('\n')
    expect(readExchanges(`${lines}\n`).map(({ id }) => id)).toEqual([8, 7])
    for (const text of [
      '',
      'hello',
      '{"a":1}',
      '[1]',
      '{"log":{"entries":{}}}',
      '{"log":{"entries":[null,1]}}',
    ])
      expect(() => readExchanges(text)).toThrow(/No exchanges/)
  })

  it('with parts that are not what they should be lose those exchanges, and no others', () => {
    const [hop] = exchange.hops
    const broken = [
      { ...exchange, at: 1e300 },
      { ...exchange, name: { a: 1 } },
      { ...exchange, status: 'fine' },
      { ...exchange, duration: '12' },
      { ...exchange, client: { ...exchange.client, name: ['x'] } },
      { ...exchange, hops: [null] },
      { ...exchange, hops: [{ ...hop, type: 'attack' }] },
      { ...exchange, hops: [{ ...hop, message: undefined }] },
      { ...exchange, hops: [{ ...hop, bytes: 'many' }] },
    ]
    const text = [...broken, exchange].map((one) => JSON.stringify(one)).join('\n')
    expect(readExchanges(text)).toEqual([exchange])
    const request = { postData: { text: '{"method":"ping"}' } }
    const entries = [
      ...broken.map((one) => ({ _exchange: one })),
      null,
      7,
      { request: { postData: { text: '{"method":7}' } } },
      { request },
      { request, response: 3, time: 'long', startedDateTime: 5 },
    ]
    const found = readExchanges(JSON.stringify({ log: { entries } }))
    expect(found.map(({ method, status }) => [method, status])).toEqual([
      ['ping', 'ok'],
      ['ping', 'ok'],
    ])
  })

  it('of a browser bring no credentials along: headers, cookies and addresses stay in the file', () => {
    const secret = 's3cret-token'
    const header = { name: 'authorization', value: `Bearer ${secret}` }
    const request = {
      url: `https://example.com/mcp?key=${secret}`,
      headers: [header],
      cookies: [{ name: 'session', value: secret }],
      postData: { text: '{"method":"ping","id":1}' },
    }
    const response = { status: 200, headers: [header], content: { text: '{"id":1,"result":{}}' } }
    const found = readExchanges(JSON.stringify({ log: { entries: [{ request, response }] } }))
    expect(found).toHaveLength(1)
    expect(JSON.stringify(found)).not.toContain(secret)
  })

  it('that name two exchanges the same show both', () => {
    const text = [exchange, exchange, { ...exchange, id: 8 }].map((one) => JSON.stringify(one)).join('\n')
    expect(readExchanges(text).map(({ id }) => id)).toEqual([9, 8, 7])
  })
})
