import { type } from 'arktype'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { matchProgram } from './match-program.ts'
import { compilePattern } from './compile-pattern.ts'
import { parsePattern } from './parse-pattern.ts'
import { checkPattern, toUnicodePattern } from './check-pattern.ts'
import { createMatcher } from './create-matcher.ts'
import { cpuTime } from '../../testing/fixtures/cpu-time.test.node.ts'

/** Matches by the automaton even where the platform's engine would be chosen. */
function automaton(pattern: string): (text: string) => boolean {
  const program = compilePattern(parsePattern(pattern)!.node)!
  return (text) => matchProgram(program, text)
}

describe('the automaton', () => {
  it.each([
    ['a', ['a', 'ba', 'b', '']],
    ['^a$', ['a', 'ba', 'a\n', '']],
    ['^(?:ab|a)(?:c|bcd)$', ['abcd', 'abc', 'ac', 'ab']],
    ['^a{2,3}b?c*$', ['aab', 'aaaccc', 'a', 'aaaa']],
    ['^a{2}$|^b{2,}$', ['aa', 'bbbb', 'b', 'aaa']],
    ['^[^a-c\\d]+$', ['xyz', 'xaz', '7', '']],
    ['^[\\w.\\-]+@\\w+$', ['a-b.c@d', 'a b@c', '@']],
    ['\\bcat\\b', ['a cat!', 'concat', 'cat']],
    ['\\Bcat', ['concat', 'cat']],
    ['^.$', ['x', '\n', '😀', '😀😀']],
    ['^\\p{Lu}\\P{Lu}$', ['Éé', 'éÉ', 'AA']],
    ['^[\\p{L}_]+$', ['Łódź_', 'a1']],
    ['^\\u{1F600}\\uD83D\\uDE00\\x41\\cA\\t\\0$', ['😀😀A\u0001\t\0', '😀']],
    ['^[\\]\\b\\\\-]+$', [']\b\\-', 'a']],
    ['^(?!\\.)(?!.*\\.\\.)[a-z.]+$', ['a.b', '.a', 'a..b']],
    ['^(?=.*\\d)(?=.*[a-z])[\\da-z]{4,}$', ['abc1', 'abcd', '1234', 'a1']],
    ['^(?<year>\\d{4})-(\\d\\d)$', ['2024-01', '24-01']],
    ['^(?:)*$', ['', 'a']],
    ['^(a*)*$', ['aaa', 'b']],
    ['^[\\s\\S]*$', ['any\nthing', '']],
    ['x|^$', ['', 'axb', 'b']],
    ['^\\//$', ['//', '/']],
  ])('agrees with the platform on %s', (pattern, texts) => {
    const native = new RegExp(pattern, 'u')
    const match = automaton(pattern)
    for (const text of texts) expect([text, match(text)]).toEqual([text, native.test(text)])
  })

  it('agrees with the platform on random expressions and texts', () => {
    const atom = fc.constantFrom('a', 'b', 'c', '.', '[ab]', '[^a]', '\\w', '\\d', '^', '$', '\\b')
    const { expression } = fc.letrec((tie) => ({
      expression: fc.oneof(
        { maxDepth: 3 },
        atom,
        fc.array(tie('expression') as fc.Arbitrary<string>, { maxLength: 3 }).map((parts) => parts.join('')),
        fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `(?:${a}|${b})`),
        fc
          .tuple(tie('expression'), fc.constantFrom('*', '+', '?', '{2}', '{1,2}', '{1,}', '*?'))
          .map(([a, q]) => `(${a})${q}`),
        (tie('expression') as fc.Arbitrary<string>).map((a) => `(?=${a})`),
        (tie('expression') as fc.Arbitrary<string>).map((a) => `(?!${a})`),
      ),
    }))
    // No surrogate pairs here: V8 itself tries look-ahead between their halves.
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c', ' ', '1', '\n', 'é'), maxLength: 6 })
    fc.assert(
      fc.property(expression as fc.Arbitrary<string>, text, (pattern, subject) => {
        expect(automaton(pattern)(subject)).toBe(new RegExp(pattern, 'u').test(subject))
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('createMatcher', () => {
  it('matches in bounded time where backtracking explodes', () => {
    const text = 'a'.repeat(5_000)
    const patterns = [
      '^(a+)+$',
      '^(a|a)*$',
      '^(a*)*b',
      '(a|aa)+$',
      '^(?:a?){30}a{30}$',
      'a*a*a*a*a*a*b',
      '(.*)*x',
    ]
    const started = cpuTime()
    for (const pattern of patterns) createMatcher(pattern)!.test(`${text}!`)
    expect(cpuTime() - started).toBeLessThan(3_000)
  })

  it('gives up on nested look-ahead over long texts instead of taking for ever', () => {
    const matcher = createMatcher('(?=(.*(?=(.*(?=.*x)))))y')!
    expect(() => matcher.test('a'.repeat(20_000))).toThrow(/too many steps/)
  })

  it('leaves plain expressions to the platform', () => {
    for (const pattern of [
      '^[a-z0-9_-]+$',
      '^\\d{4}-\\d{2}$',
      '^.*$',
      '^data:',
      '^[A-Za-z0-9+/]*={0,2}$',
      'x',
    ]) {
      expect([pattern, checkPattern(pattern)]).toEqual([pattern, 'plain'])
    }
    for (const pattern of ['(a+)+', 'a+b', '^a*a*$', '^(?:a?){30}$', '^(?=a)', '(a)\\1']) {
      expect([pattern, checkPattern(pattern)]).not.toEqual([pattern, 'plain'])
    }
  })

  it('takes the expressions that schema libraries write', () => {
    const formats = z.object({
      a: z.email(),
      b: z.uuid(),
      c: z.ipv4(),
      d: z.ipv6(),
      e: z.iso.datetime(),
      f: z.iso.duration(),
      g: z.base64(),
      h: z.jwt(),
      i: z.cidrv6(),
      j: z.emoji(),
      k: z.ulid(),
      l: z.nanoid(),
      m: z.e164(),
      n: z.hostname(),
    })
    const patterns = JSON.stringify(z.toJSONSchema(formats)).matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)
    const found = [...patterns].map(([, text]) => JSON.parse(text!) as string)
    expect(found.length).toBeGreaterThan(8)
    for (const pattern of found)
      expect([pattern, checkPattern(toUnicodePattern(pattern)!)]).not.toEqual([pattern, undefined])
  })

  it('stands back references in for their groups and says so', () => {
    const iso = (type('string.date.iso').toJsonSchema() as { pattern: string }).pattern
    const matcher = createMatcher(toUnicodePattern(iso)!)!
    expect(checkPattern(toUnicodePattern(iso)!)).toBe('partial')
    expect(matcher.test('2026-07-28T10:00:00Z')).toBe(true)
    expect(matcher.test('yesterday')).toBe(false)
    expect(createMatcher('^(?<q>["\'])x\\k<q>$')!.test('"x"')).toBe(true)
    expect(checkPattern('(?<=a)b')).toBe('partial')
  })

  it('refuses counts beyond all measure', () => {
    expect(createMatcher('^(?:(?:a{1,100}b){1,100}){1,100}$')).toBeUndefined()
    expect(createMatcher('(a?b){1000000}')).toBeUndefined()
    expect(createMatcher('(?=a)(((((){4000}){4000}){4000}){4000})')?.test('a')).toBe(true)
  })

  it('survives deep nesting', () => {
    const pattern = `${'('.repeat(990)}a${')'.repeat(990)}`
    expect(createMatcher(pattern)?.test('a') ?? true).toBe(true)
  })
})

describe('toUnicodePattern', () => {
  it('drops backslashes that only the older syntax allows', () => {
    expect(toUnicodePattern('^\\d{3}\\-\\d$')).toBe('^\\d{3}-\\d$')
    expect(toUnicodePattern('^[a\\-z]\\-\\\\\\:$')).toBe('^[a\\-z]-\\\\:$')
    expect(toUnicodePattern('^a\\.b$')).toBe('^a\\.b$')
    expect(toUnicodePattern('(')).toBeUndefined()
  })
})
