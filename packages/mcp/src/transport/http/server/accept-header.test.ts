import { expect, it } from 'vitest'
import { acceptsStream, prefersStream } from './accept-header.ts'

it.each([
  [undefined, true, false],
  ['*/*', true, false],
  ['application/json', false, false],
  ['application/json, text/event-stream', true, false],
  ['text/event-stream, application/json', true, true],
  ['text/event-stream', true, true],
  ['text/event-stream; charset=utf-8', true, true],
  ['text/event-stream;q=0.5, application/json', true, false],
  ['application/json;q=0.5, text/event-stream;q=0.9', true, true],
  ['*/*, text/event-stream', true, false],
  ['text/event-stream;q=many, application/json;q=', true, false],
])('%s: accepts a stream %s, prefers one %s', (accept, accepts, prefers) => {
  expect(acceptsStream(accept)).toBe(accepts)
  expect(prefersStream(accept)).toBe(prefers)
})
