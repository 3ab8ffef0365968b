import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { reveal, revealAll, Secret } from './secret.ts'

describe('Secret', () => {
  const secret = new Secret('hunter2', '${env:PASSWORD}')

  it('is never printed, whichever way it is turned into text', () => {
    const printed = [
      String(secret),
      `${secret}`,
      JSON.stringify({ secret }),
      inspect({ secret }, { depth: 9, showHidden: true }),
      Object.values(secret).join(),
    ].join(' ')
    expect(printed).not.toContain('hunter2')
    expect(printed).toContain('${env:PASSWORD}')
  })

  it('says [redacted] when it was written down', () => {
    expect(JSON.stringify([new Secret('x')])).toBe('["[redacted]"]')
  })

  it('is revealed only on request', () => {
    expect(reveal(secret)).toBe('hunter2')
    expect(revealAll({ a: secret, b: 'plain' })).toEqual({ a: 'hunter2', b: 'plain' })
  })

  it('is compared by value', () => {
    expect(secret.equals(new Secret('hunter2'))).toBe(true)
    expect(secret.equals(new Secret('other', '${env:PASSWORD}'))).toBe(false)
  })
})
