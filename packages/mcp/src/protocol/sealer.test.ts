import { describe, expect, it } from 'vitest'
import { Sealer } from './encoding.ts'

const SECRET = 'a secret of some length'

describe('Sealer', () => {
  it('opens what it sealed, for the same binding only', async () => {
    const sealed = await new Sealer([SECRET]).seal({ a: 1 }, 'ann')
    expect(await new Sealer([SECRET]).open(sealed, 'ann')).toEqual({ a: 1 })
    expect(await new Sealer([SECRET]).open(sealed, 'ben')).toBeUndefined()
    expect(await new Sealer([`${SECRET} and another`]).open(sealed, 'ann')).toBeUndefined()
  })

  it('takes no secret that could be guessed', () => {
    for (const secret of ['', '   ', '\n'.repeat(40), 'short', new Uint8Array(0), new Uint8Array(15)]) {
      expect(() => new Sealer([SECRET, secret])).toThrow(/A secret that seals (is empty|has \d+ bytes)/)
    }
    expect(() => new Sealer([new Uint8Array(16)])).not.toThrow()
  })
})
