import { describe, expect, it } from 'vitest'
import { adviseReference, parseReferences } from './references.ts'

describe('parseReferences', () => {
  it.each([
    ['plain', [{ type: 'text', text: 'plain' }]],
    ['', [{ type: 'text', text: '' }]],
    ['${env:A}', [{ type: 'env', name: 'A', fallback: undefined }]],
    ['${env:A:-}', [{ type: 'env', name: 'A', fallback: '' }]],
    ['${env:A:-x:-y}', [{ type: 'env', name: 'A', fallback: 'x:-y' }]],
    ['${file:/run/a b}', [{ type: 'file', path: '/run/a b' }]],
    ['${file:C:\\keys\\a}', [{ type: 'file', path: 'C:\\keys\\a' }]],
    [
      'a${env:B}c${file:d}',
      [
        { type: 'text', text: 'a' },
        { type: 'env', name: 'B', fallback: undefined },
        { type: 'text', text: 'c' },
        { type: 'file', path: 'd' },
      ],
    ],
    ['$${env:A} $5 ${', [{ type: 'text', text: '${env:A} $5 ${' }]],
    ['${}', [{ type: 'unknown', text: '${}' }]],
    ['${env:}', [{ type: 'unknown', text: '${env:}' }]],
    ['${input:x}', [{ type: 'unknown', text: '${input:x}' }]],
  ])('%s', (text, expected) => {
    expect(parseReferences(text)).toEqual(expected)
  })
})

describe('adviseReference', () => {
  it('knows the variables of other programs, and keeps quiet about what may be meant', () => {
    expect(adviseReference('${HOME:-/}')).toContain('${env:HOME:-/}')
    expect(adviseReference('${input:x}')).toContain('an editor')
    expect(adviseReference('${userHome}')).toContain('~/')
    expect(adviseReference('${1}')).toBeUndefined()
  })
})
