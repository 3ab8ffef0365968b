import { describe, expect, it } from 'vitest'
import type { WireRecord } from './wire.ts'
import { parseWireFilter } from './wire-filter.ts'

const record = (over: Partial<WireRecord>): WireRecord => ({
  id: 1,
  at: 0,
  method: 'tools/call',
  name: 'files_search',
  target: 'files',
  client: { name: 'Inspector', revision: '2026-07-28' },
  status: 'ok',
  duration: 20,
  messages: 0,
  ...over,
})

describe('parseWireFilter', () => {
  const cases: [string, Partial<WireRecord>, boolean][] = [
    ['', {}, true],
    ['tool:search', {}, true],
    ['tool:search', { method: 'prompts/get' }, false],
    ['status:error', {}, false],
    ['status:error,ok', {}, true],
    ['-status:ok', {}, false],
    ['>500ms', { duration: 501 }, true],
    ['>0.5s', { duration: 499 }, false],
    ['<1s', { duration: 20 }, true],
    ['>1', { duration: undefined as never }, false],
    ['era:legacy', {}, false],
    ['client:"inspec"', {}, true],
    ['INSPECTOR', {}, true],
    ['tool:search status:ok target:files', {}, true],
    ['tool:search target:other', {}, false],
    ['constructor:x', {}, false],
    ['"not there"', {}, false],
    ['error:refused', { error: 'Connection refused' }, true],
    ['-', {}, true],
    ['since:2026-01-31T12:00:00Z', { at: Date.UTC(2026, 0, 31, 12) }, true],
    ['until:2026-01-31T12:00:00Z', { at: Date.UTC(2026, 0, 31, 12) }, false],
    ['since:yester', {}, true],
  ]
  it.each(cases)('%j', (text, over, expected) => {
    expect(parseWireFilter(text)(record(over))).toBe(expected)
  })
})
