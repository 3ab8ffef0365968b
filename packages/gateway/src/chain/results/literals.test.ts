import { describe, expect, it } from 'vitest'
import { Literals } from './literals.ts'

describe('texts that may not show up', () => {
  it.each([
    ['every one of many', 5_001, 'row '],
    ['every one of very many', 20_000, ''],
  ])('are found: %s', (_what, count, before) => {
    const literals = new Literals()
    const names = Array.from({ length: count }, (_, at) => `${before}person-${at}@example.com`)
    for (const name of names) literals.add(name, '[masked]')
    const shown = literals.clean(names.join(' | '))
    expect(shown).not.toContain('person')
    expect(shown.split('[masked]')).toHaveLength(count + 1)
  })

  it('are found as they are written, and the longest first', () => {
    const literals = new Literals()
    for (const text of ['a.b*c', 'a.b*c (d)', '\\w+$1', 'x'.repeat(300)]) literals.add(text, '#')
    expect(literals.clean(`axb*c a.b*c (d) a.b*c \\w+$1 words ${'x'.repeat(300)}`)).toBe(
      'axb*c # # # words #',
    )
    expect(literals.clean('nothing')).toBe('nothing')
  })

  it('take time in proportion to what is searched', () => {
    const literals = new Literals()
    for (let at = 0; at < 5000; at++) literals.add(`user${at}@example${at % 97}.com`, '#')
    const started = process.cpuUsage()
    literals.clean('user user1 users@example '.repeat(40_000))
    // Of the processor, in milliseconds: a busy machine does not count.
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(3_000)
  })

  it('are refused when there are too many to look for', () => {
    const literals = new Literals()
    const add = (): void => {
      for (let at = 0; at <= 100_000; at++) literals.add(`value ${at}`, '#')
    }
    expect(add).toThrow(/too much that is masked/)
  })
})
