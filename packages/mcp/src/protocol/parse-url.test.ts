import { describe, expect, it } from 'vitest'
import { parseUrl, splitTarget } from './parse-url.ts'

describe('parseUrl', () => {
  it('returns undefined instead of throwing', () => {
    for (const text of [
      '',
      '//',
      'http://',
      'http://[',
      'http://[::1',
      'x',
      'http://a b/',
      `http://${'%'.repeat(9)}`,
    ]) {
      expect(parseUrl(text)).toBeUndefined()
    }
    expect(parseUrl('//', 'http://127.0.0.1')).toBeUndefined()
    expect(parseUrl('/a?b=c', 'http://h')?.href).toBe('http://h/a?b=c')
  })
})

describe('splitTarget', () => {
  it('takes any target', () => {
    const targets = ['/', '//', '///?a=1', '*', 'http://[', '/callback?state=a%zz&code=b', '?', '/a?b?c=d']
    for (const target of targets) expect(splitTarget(target).path).toBe(target.split('?')[0])
    expect(splitTarget('/callback?state=a%zz&code=b').query.get('code')).toBe('b')
    expect(splitTarget('//evil.example/callback?code=1').path).toBe('//evil.example/callback')
  })
})
