import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Lot, SECRETS } from '../../chain/results/planted-secrets.test.support.ts'
import { hasNumber, hasRun, WIDE, WORD } from './first-look.ts'
import { detectorNames, detectorsFor, replaceFound } from './index.ts'

const detectors = detectorsFor(detectorNames)
const secret = fc
  .tuple(fc.constantFrom(...Object.values(SECRETS)), fc.nat())
  .map(([make, seed]) => make(new Lot(seed)))
/** Short secrets, and what they consist of: wherever one begins, others go on. */
const piece = fc.oneof(
  secret,
  fc.constantFrom(
    ...['xoxb-1234567890', 'whsec_ab+cd/ef+gh/ij+kl/mn', 'tel 030/1234567', '+1 (212)', 'ssn 078051120'],
    ...['hooks.slack.com/services/T0/B0/abcdefghijklmno', 'GB82', 'WEST 1234', '5698 7654 32', 'S1234567D'],
    ...['AB123456C', 'a@b.example', 'PRIVATE KEY', '-----BEGIN ', '-----', 'AccountKey=', '2024-01-15'],
  ),
  fc.string({ unit: fc.constantFrom(...'aB19 -+/=.,()_":@\né'), maxLength: 6 }),
)

describe('a first look', () => {
  it('lets no detector miss what it would find', () => {
    let found = 0
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 5 }), (pieces) => {
        const text = pieces.join('')
        for (const detector of detectors) {
          if (replaceFound(text, detector, 'ssn', () => '') === text) continue
          found++
          expect(detector.mayFind(text), `${detector.name} in ${JSON.stringify(text)}`).toBe(true)
        }
      }),
      { numRuns: 5_000 },
    )
    expect(found).toBeGreaterThan(5_000)
  })

  it('sees what an expression sees', () => {
    const text = fc.string({ unit: fc.constantFrom(...'aa11  .+/=é"('), maxLength: 40 })
    const length = fc.integer({ min: 1, max: 8 })
    fc.assert(
      fc.property(text, length, (one, least) => {
        expect(hasRun(one, least, WORD)).toBe(new RegExp(`[\\w-]{${least}}`).test(one))
        expect(hasRun(one, least, WIDE)).toBe(new RegExp(`[\\w+/=-]{${least}}`).test(one))
        expect(hasNumber(one, least)).toBe(new RegExp(`\\d[\\d ()./+-]{${least - 1}}`).test(one))
      }),
      { numRuns: 5_000 },
    )
  })

  it.each([
    'to be or not to be, that is the question',
    '{"resultType":"complete","content":[{"type":"text","text":"3 of 12 on 1.5.24"}]}',
    'a list (with 7 things), a price of 12.50 EUR, and v1.2.3',
    '{\n            "count": 12\n            }',
  ])('spares most texts a closer one: %s', (text) => {
    const tried = detectorsFor(['email', 'phone', 'card', 'iban', 'keys']).filter((one) => one.mayFind(text))
    expect(tried.map(({ name }) => name)).toEqual([])
  })
})
