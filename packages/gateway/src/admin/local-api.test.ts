import { jsonReader, writeJson } from '@gantry/mcp/exchange'
import { expect, it } from 'vitest'
import type { Handlers } from './handlers.ts'
import { localApi } from './local-api.ts'

it('shows numbers as they were written, and no secrets', async () => {
  const text = '{"id":9007199254740993,"big":1e400,"price":1.0,"key":"planted"}'
  const handlers = { overview: () => jsonReader('source')(text) } as unknown as Handlers
  const api = (change: (text: string) => string) => localApi(handlers, (value) => change(writeJson(value)))
  expect(writeJson(await api((same) => same).call('overview', {}))).toBe(text)
  const hidden = await api((shown) => shown.replaceAll('planted', '[redacted]')).call('overview', {})
  expect(writeJson(hidden)).toBe(text.replace('planted', '[redacted]'))
})
