import { describe, expect, it } from 'vitest'
import { deepFreeze, isSame } from './same.ts'
import { Secret } from './secret.ts'

describe('isSame', () => {
  it.each([
    [{ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }, true],
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
    [{ a: undefined }, { b: undefined }, false],
    [[1, 2], [2, 1], false],
    [[], {}, false],
    [null, {}, false],
    [{ s: new Secret('x', 'one') }, { s: new Secret('x', 'two') }, true],
    [{ s: new Secret('x') }, { s: new Secret('y') }, false],
    [new Secret('x'), 'x', false],
    [new Secret('x'), {}, false],
  ])('%j and %j: %s', (a, b, expected) => {
    expect(isSame(a, b)).toBe(expected)
    expect(isSame(b, a)).toBe(expected)
  })
})

describe('deepFreeze', () => {
  it('freezes all the way down', () => {
    const value = deepFreeze({ list: [{ x: 1 }], secret: new Secret('s') })
    expect(() => {
      value.list[0]!.x = 2
    }).toThrow(TypeError)
    expect(() => value.list.push({ x: 3 })).toThrow(TypeError)
    expect(value.secret.reveal()).toBe('s')
  })
})
