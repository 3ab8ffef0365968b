import { expect, it } from 'vitest'
import { row } from './table-row.mjs'

const visit = {
  package: 'some-server',
  version: '1.2.0',
  revision: '2025-11-25',
  expected: { tools: { a: '', b: '' }, prompts: { c: '' }, resources: {}, results: ['', ''] },
  verdicts: { direct: '', legacy: '', modern: '' },
}

it('counts what a server offers', () => {
  expect(row(visit, {})).toBe('| `some-server` | 1.2.0 | 2025-11-25 | 2 tools, 1 prompt | 2 | yes | yes |  |')
})

it('says through which gateway something differs, and why', () => {
  const verdicts = { direct: '', legacy: 'tools are missing: a', modern: '' }
  expect(row({ ...visit, verdicts }, { note: 'needs a key' })).toContain('| **no** | yes | needs a key |')
})

it('shows a server that starts for nobody without a verdict', () => {
  const failed = { ...visit, expected: { failed: 'closed' } }
  expect(row(failed, {})).toBe('| `some-server` | 1.2.0 | | | | – | – | does not start, with any client |')
  expect(row(failed, { note: 'needs Docker' })).toContain('| needs Docker |')
})
