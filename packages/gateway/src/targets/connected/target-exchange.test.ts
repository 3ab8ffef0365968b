import { expect, it } from 'vitest'
import type { TargetModel } from '../../model/index.ts'
import { targetHeaders } from './target-exchange.ts'

const model = (forwardHeaders: string[]): TargetModel => ({ forwardHeaders }) as unknown as TargetModel

it('passes on what is listed, and never what belongs to one hop or to the protocol', () => {
  const headers = { 'x-tenant': 'a', cookie: 'b', host: 'c', 'mcp-session-id': 'd', 'content-length': '9' }
  const listed = ['x-tenant', 'host', 'mcp-session-id', 'content-length', 'x-absent']
  expect(targetHeaders(model(listed), { headers })).toEqual({ 'x-tenant': 'a' })
  expect(targetHeaders(model([]), { headers })).toBeUndefined()
  expect(targetHeaders(model(['x-absent']), { headers })).toBeUndefined()
})

it('adds mirrored arguments', () => {
  const mirrored = { 'mcp-param-region': 'eu' }
  expect(targetHeaders(model(['x-tenant']), { headers: { 'x-tenant': 'a' } }, mirrored)).toEqual({
    'x-tenant': 'a',
    'mcp-param-region': 'eu',
  })
  expect(targetHeaders(model([]), {}, mirrored)).toEqual(mirrored)
})
