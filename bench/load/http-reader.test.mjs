import { describe, expect, it } from 'vitest'
import { createHttpReader } from './http-reader.mjs'

const json = '{"jsonrpc":"2.0","id":1,"result":{}}'
const whole = `HTTP/1.1 200 OK\r\nMcp-Session-Id: s1\r\nContent-Length: ${json.length}\r\n\r\n${json}`
const events = `event: message\ndata: {"method":"n"}\n\ndata: ${json}\n\n`
const chunk = (text) => `${text.length.toString(16)}\r\n${text}\r\n`
const chunked = `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunk(events.slice(0, 20))}${chunk(events.slice(20))}0\r\n\r\n`
const empty = 'HTTP/1.1 202 Accepted\r\nConnection: keep-alive\r\n\r\n'

/** The answers in a text that arrives in slices of one size. */
function answersIn(text, slice) {
  const answers = []
  const reader = createHttpReader((answer) => answers.push({ size: answer.size, ...answer.read() }))
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += slice) reader.add(bytes.subarray(at, at + slice))
  return answers
}

describe.each([1, 2, 3, 7, 10_000])('in slices of %i', (slice) => {
  it('finds the end of a body whose length is known', () => {
    const [answer, ...none] = answersIn(whole, slice)
    expect(answer).toMatchObject({ status: 200, session: 's1', size: whole.length })
    expect(answer.messages).toEqual([JSON.parse(json)])
    expect(none).toEqual([])
  })

  it('finds the end of a body in chunks, and the messages in its events', () => {
    const [answer, ...none] = answersIn(chunked, slice)
    expect(answer.messages).toEqual([{ method: 'n' }, JSON.parse(json)])
    expect(none).toEqual([])
  })

  it('takes an answer without a body', () => {
    expect(answersIn(empty, slice)).toMatchObject([{ status: 202, messages: [] }])
  })
})

it('reads one answer after the other', () => {
  const sizes = []
  const reader = createHttpReader(({ size }) => sizes.push(size))
  for (const text of [whole, chunked, empty, whole]) reader.add(Buffer.from(text))
  expect(sizes).toEqual([whole, chunked, empty, whole].map(({ length }) => length))
})
