import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseChallenges, readChallenge } from './www-authenticate.ts'
import { cpuTime } from '../../testing/fixtures/cpu-time.test.node.ts'

function challenges(header: string): [string, Record<string, string>][] {
  return parseChallenges(header).map(({ scheme, parameters }) => [scheme, Object.fromEntries(parameters)])
}

describe('parseChallenges', () => {
  it.each<[string, [string, Record<string, string>][]]>([
    ['', []],
    ['Bearer', [['bearer', {}]]],
    ['Bearer realm="a, b=\\"c\\"", scope=x', [['bearer', { realm: 'a, b="c"', scope: 'x' }]]],
    ['bearer Error = "invalid_token"', [['bearer', { error: 'invalid_token' }]]],
    [
      'Negotiate abc==, Basic realm=x, DPoP algs="ES256", Bearer',
      [
        ['negotiate', {}],
        ['basic', { realm: 'x' }],
        ['dpop', { algs: 'ES256' }],
        ['bearer', {}],
      ],
    ],
    ['Bearer scope="first", scope="second"', [['bearer', { scope: 'first' }]]],
    [
      'Basic, , Bearer a=1,,b=2',
      [
        ['basic', {}],
        ['bearer', { a: '1', b: '2' }],
      ],
    ],
    ['Bearer a="unterminated', [['bearer', {}]]],
    ['Bearer __proto__="x"', [['bearer', { ['__proto__']: 'x' }]]],
  ])('reads %j', (header, expected) => {
    expect(challenges(header)).toEqual(expected)
  })

  it('reads back whatever was written, whatever the values hold', () => {
    const name = fc.stringMatching(/^[a-z][a-z0-9_]{0,8}$/)
    const value = fc.string().filter((text) => !/[^\t\x20-\x7e]/.test(text))
    fc.assert(
      fc.property(fc.dictionary(name, value), (parameters) => {
        const quoted = Object.entries(parameters).map(
          ([key, text]) => `${key}="${text.replace(/["\\]/g, '\\$&')}"`,
        )
        expect(challenges(`Bearer ${quoted.join(', ')}`)).toEqual([['bearer', { ...parameters }]])
      }),
    )
  })

  it('never throws and ends in linear time', () => {
    fc.assert(fc.property(fc.string(), (text) => void parseChallenges(text)))
    const started = cpuTime()
    parseChallenges(`Bearer a="${'\\'.repeat(100_000)}`)
    parseChallenges('Bearer a=b, '.repeat(20_000))
    expect(cpuTime() - started).toBeLessThan(5_000)
  })
})

describe('readChallenge', () => {
  it('takes what concerns OAuth from Bearer and DPoP challenges only', () => {
    const headers = {
      'www-authenticate':
        'Basic scope="no", DPoP error="use_dpop_nonce", Bearer scope="a  b", resource_metadata="https://x/y"',
    }
    expect(readChallenge(new Response(null, { status: 401, headers }))).toEqual({
      schemes: ['dpop', 'bearer'],
      error: 'use_dpop_nonce',
      scope: ['a', 'b'],
      resourceMetadata: 'https://x/y',
    })
  })

  it('finds nothing in a response without the header', () => {
    expect(readChallenge(new Response(null, { status: 401 }))).toEqual({ schemes: [] })
  })
})
