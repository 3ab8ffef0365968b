import { describe, expect, it } from 'vitest'
import { isSelected } from './name-forms.ts'

describe('isSelected', () => {
  it('takes all without include, and lets exclude have the last word', () => {
    expect(isSelected('x', { include: [], exclude: [] })).toBe(true)
    expect(isSelected('x', { include: ['y'], exclude: [] })).toBe(false)
    expect(isSelected('x', { include: ['x'], exclude: ['x'] })).toBe(false)
  })
})

describe('another spelling of a name', () => {
  it.each([
    ['composed', 'caf\u00e9', 'cafe\u0301'],
    ['decomposed', 'cafe\u0301', 'caf\u00e9'],
    ['in capitals', 'drop', 'DROP'],
    ['in full width', 'drop', '\uff44\uff52\uff4f\uff50'],
    ['with a mark that nobody sees', 'drop', 'dr\u200dop'],
    ['with a variation of a letter', 'drop', 'dro\ufe00p'],
    ['with a tag', 'drop', 'drop\u{e0041}'],
    ['with spaces around it', 'drop', ' drop\u00a0'],
    ['with an escaped space', 'drop', 'drop%20'],
    ['escaped', 'drop', '%64%72op'],
    ['escaped twice', 'drop', '%2564rop'],
    ['with a wildcard', 'dr?p*', 'DROP_ALL'],
  ])('is excluded: %s', (_, pattern, name) => {
    expect(isSelected(name, { include: [], exclude: [pattern] })).toBe(false)
  })

  it('is included when it is the same text, and not when it only looks like it', () => {
    const included = (name: string) => isSelected(name, { include: ['caf\u00e9', 'drop'], exclude: [] })
    expect(['cafe\u0301', 'drop'].map(included)).toEqual([true, true])
    expect(['DROP', '%64rop', '\uff44rop', 'dr\u200bop'].map(included)).toEqual([false, false, false, false])
  })
})
