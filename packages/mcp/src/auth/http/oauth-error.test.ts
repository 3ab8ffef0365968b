import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { McpError } from '../../jsonrpc/index.ts'
import { OAUTH_CHECKS, oauthCheck, oauthError, quote } from './oauth-error.ts'

describe('oauthError', () => {
  it('says what failed, where, what was expected and found, and what to do', () => {
    const error = oauthError('issuer_mismatch', 'the metadata is of another issuer', {
      url: new URL('https://a.example/x'),
      expected: '"https://a.example"',
      found: '"https://b.example"',
      fix: 'Ask the operator.',
    })
    expect(error.message).toBe(
      'OAuth: the metadata is of another issuer (https://a.example/x); expected "https://a.example", ' +
        'found "https://b.example". Ask the operator.',
    )
    expect(error.details).toEqual({
      check: 'issuer_mismatch',
      url: 'https://a.example/x',
      expected: '"https://a.example"',
      found: '"https://b.example"',
      fix: 'Ask the operator.',
    })
    expect(oauthCheck(error)).toBe('issuer_mismatch')
    expect(oauthCheck(new McpError('timeout', 'x'))).toBeUndefined()
  })

  it('quotes what others wrote so that it cannot pass for our own words', () => {
    expect(quote('a\u001b[31m\r\nb')).toBe('"a [31m b"')
    expect(quote('x'.repeat(1000))).toHaveLength(203)
    expect(quote(undefined)).toBe('nothing')
    expect(quote(['S256'])).toBe('"["S256"]"')
  })

  it('every check is explained in docs/oauth.md, and nothing else is', () => {
    const text = readFileSync(new URL('../../../../../docs/oauth.md', import.meta.url), 'utf8')
    const explained = [...text.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name)
    expect(explained.sort()).toEqual([...OAUTH_CHECKS].sort())
  })
})
