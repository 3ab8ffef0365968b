import { describe, expect, it } from 'vitest'
import { argumentAt, mirrorArguments } from './mirror-arguments.ts'

describe('mirrorArguments', () => {
  it('mirrors plain values, wherever they are, and nothing else', () => {
    const parameters = [
      { header: 'Region', path: ['where', 'region'] },
      { header: 'Count', path: ['count'] },
      { header: 'Dry', path: ['dry'] },
      { header: 'Gone', path: ['gone'] },
      { header: 'Empty', path: ['empty'] },
      { header: 'List', path: ['list'] },
    ]
    const args = { where: { region: 'eu' }, count: 0, dry: false, empty: null, list: ['a'] }
    expect(mirrorArguments(parameters, args)).toEqual({
      'mcp-param-region': 'eu',
      'mcp-param-count': '0',
      'mcp-param-dry': 'false',
    })
  })

  it('has nothing to say about tools without such parameters', () => {
    expect(mirrorArguments([], { a: 1 })).toBeUndefined()
  })
})

describe('argumentAt', () => {
  it.each([['constructor', 'name'], ['toString'], ['__proto__']])('finds own members only: %s', (...path) => {
    expect(argumentAt({}, path)).toBeUndefined()
  })

  it.each([undefined, null, 'text', [1]])('survives arguments that are no object: %j', (args) => {
    expect(argumentAt(args, ['0'])).toBeUndefined()
  })
})
