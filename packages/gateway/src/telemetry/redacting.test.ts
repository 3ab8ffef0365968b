import { describe, expect, it } from 'vitest'
import { hidingShapes, redacting } from './redacting.ts'

const shown = (value: unknown, replacer = redacting): unknown => JSON.parse(JSON.stringify(value, replacer))

describe('what is kept of arguments', () => {
  it('holds no secret under its name: a text, a number or a list', () => {
    const given = { password: 'hunter2', pin_token: 4711, apiKeys: ['k1', 2, { id: 'k3' }], other: ['k1'] }
    expect(shown(given)).toEqual({
      password: '[redacted]',
      pin_token: '[redacted]',
      apiKeys: ['[redacted]', '[redacted]', { id: 'k3' }],
      other: ['k1'],
    })
  })

  it('leaves schemas, empty texts and counted tokens as they are', () => {
    const given = { properties: { password: { type: 'string' } }, token: '', maxTokens: 5, progressToken: 3 }
    expect(shown(given)).toEqual(given)
  })

  it('holds no secret as the name of a member, and loses none of the members', () => {
    const given = {
      'Bearer abc123456': 1,
      'Bearer abc987654': { 'sk-proj-0123456789abcdefghij': 2 },
      plain: 3,
    }
    expect(shown(given, hidingShapes)).toEqual({
      'Bearer [redacted]': 1,
      'Bearer [redacted] 2': { '[redacted]': 2 },
      plain: 3,
    })
  })

  it('keeps a member that is called like the prototype', () => {
    const given = JSON.parse('{"__proto__":{"x":1},"Bearer abc123456":1}')
    expect(JSON.stringify(given, hidingShapes)).toBe('{"__proto__":{"x":1},"Bearer [redacted]":1}')
  })
})
