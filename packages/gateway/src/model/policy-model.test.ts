import { describe, expect, it } from 'vitest'
import { parseObjectPattern } from './policy-model.ts'

describe('parseObjectPattern', () => {
  it.each([
    ['github', { kind: undefined, target: 'github', name: '*' }],
    ['github/create_*', { kind: undefined, target: 'github', name: 'create_*' }],
    ['tools:*/delete_*', { kind: 'tools', target: '*', name: 'delete_*' }],
    ['resources:fs/file:///etc/*', { kind: 'resources', target: 'fs', name: 'file:///etc/*' }],
    ['methods:fs/vendor/*', { kind: 'methods', target: 'fs', name: 'vendor/*' }],
    ['*', { kind: undefined, target: '*', name: '*' }],
  ])('%s', (text, expected) => {
    expect(parseObjectPattern(text)).toMatchObject(expected)
  })
})
