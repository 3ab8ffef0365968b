import { expect, it } from 'vitest'
import { documented } from './document.mjs'

const PAGE =
  'before\n<!-- direct -->\nold\n<!-- /direct -->\n<!-- gateway -->\nold\n<!-- /gateway -->\nafter\n'
const CELLS = ['alone', 'among'].map((company) => ({
  name: `new/old/${company}`,
  revision: 'new',
  upstream: 'old',
  company,
}))
const run = (more) => ({ role: 'gateway', scenario: 's', group: 'g', problems: [], checked: 2, ...more })

it('writes the parts that were run and leaves the others', () => {
  const page = documented(PAGE, [run({ role: 'server' }), run({ role: 'server', problems: ['bad'] })], CELLS)
  expect(page).toContain('| g | 1/2 scenarios, 4 checks |')
  expect(page).toContain('- server, g: `s` – bad')
  expect(page).toContain('<!-- gateway -->\nold\n')
  expect(page).toMatch(/^before\n[\s\S]*after\n$/)
})

it('writes the matrix with what failed and what is not possible', () => {
  const results = [
    run({ cell: 'new/old/alone' }),
    run({ cell: 'new/old/alone', notPossible: 'why' }),
    run({ cell: 'new/old/among', problems: ['bad'] }),
  ]
  const page = documented(PAGE, results, CELLS)
  expect(page).toContain('| new | old | 1/1 + 1 n/p | 0/1 |')
  expect(page).toContain('- `s` (new × old): why.')
  expect(page).toContain('- new/old/among: `s` – bad')
  expect(() => documented(PAGE, results.slice(0, 2), CELLS)).toThrow('new/old/among')
})
