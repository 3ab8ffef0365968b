import { jsonReader, writeJson } from '@gantry/mcp/exchange'
import { expect, it } from 'vitest'
import type { Handlers } from './handlers.ts'
import { StoreError } from '../store/index.ts'
import { localApi, toApiError } from './local-api.ts'

it('shows numbers as they were written, and no secrets', async () => {
  const text = '{"id":9007199254740993,"big":1e400,"price":1.0,"key":"planted"}'
  const handlers = { overview: () => jsonReader('source')(text) } as unknown as Handlers
  const api = (change: (text: string) => string) => localApi(handlers, (value) => change(writeJson(value)))
  expect(writeJson(await api((same) => same).call('overview', {}))).toBe(text)
  const hidden = await api((shown) => shown.replaceAll('planted', '[redacted]')).call('overview', {})
  expect(writeJson(hidden)).toBe(text.replace('planted', '[redacted]'))
})

it('says of a store that is away that it is away, and of other failures that the log has them', () => {
  const away = toApiError(new StoreError('unavailable', 'connect ECONNREFUSED 10.0.0.7:6379'))
  expect([away.status, away.problem.code, away.message]).toEqual([
    503,
    'unavailable',
    'The store cannot be reached, and this is in it',
  ])
  const full = toApiError(new StoreError('full', 'No room in /var/lib'))
  expect([full.status, full.problem.code]).toEqual([500, 'internal'])
})
