import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { matchesWildcard } from './wildcard.ts'

describe('matchesWildcard', () => {
  it.each([
    ['*', '', true],
    ['*', 'anything', true],
    ['', '', true],
    ['', 'a', false],
    ['read_*', 'read_file', true],
    ['read_*', 'unread_file', false],
    ['*_file', 'read_file', true],
    ['r?ad', 'read', true],
    ['r?ad', 'rad', false],
    ['a*b*c', 'a-b-b-c', true],
    ['a*b*c', 'a-b-b-d', false],
    ['file://*/x', 'file:///home/x', true],
    ['a.c', 'abc', false],
  ])('%s on %s: %s', (pattern, text, expected) => {
    expect(matchesWildcard(pattern, text)).toBe(expected)
  })

  it('agrees with the regular expression of the same meaning', () => {
    const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?'), maxLength: 8 })
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 10 })
    fc.assert(
      fc.property(pattern, text, (p, t) => {
        const expression = new RegExp(`^${p.replaceAll('*', '.*').replaceAll('?', '.')}$`, 's')
        expect(matchesWildcard(p, t)).toBe(expression.test(t))
      }),
    )
  })

  it('stays quick on patterns made to be slow', () => {
    const started = process.cpuUsage()
    expect(matchesWildcard(`${'a*'.repeat(200)}b`, 'a'.repeat(5000))).toBe(false)
    // Of the processor, in milliseconds: a busy machine does not count.
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(1000)
  })
})
