import { describe, expect, it } from 'vitest'
import { compare, summarize } from './compare.mjs'

const seen = (more = {}) =>
  summarize({ tools: [], prompts: [], resources: [], results: [], folder: '/zoo/here', ...more })
const answer = (text, more = {}) => seen({ results: [{ content: [{ type: 'text', text }], ...more }] })

describe('the same', () => {
  it('is the same in another order', () => {
    const one = seen({ tools: [{ name: 'a', inputSchema: { type: 'object' } }, { name: 'b' }] })
    const other = seen({ tools: [{ name: 'b' }, { inputSchema: { type: 'object' }, name: 'a' }] })
    expect(compare(one, other)).toBe('')
  })

  it('may differ in numbers, ids and folders', () => {
    const one = answer('Wrote /zoo/here/a.txt at 12:01:07 as 3f9ac2d1')
    const other = summarize({
      ...{ tools: [], prompts: [], resources: [], folder: '/zoo/there' },
      results: [
        {
          content: [{ text: 'Wrote /zoo/there/a.txt at 12:05:59 as 77e0b1c4', type: 'text' }],
          isError: false,
        },
      ],
    })
    expect(compare(one, other)).toBe('')
  })

  it('is an error with the same code, in other words', () => {
    const one = seen({ results: [{ error: -32602, message: 'MCP error -32602: No such tool' }] })
    expect(compare(one, seen({ results: [{ error: -32602, message: 'Unknown tool' }] }))).toBe('')
    expect(compare(one, seen({ results: [{ error: -32603, message: 'No such tool' }] }))).toContain(
      'answer 1',
    )
  })

  it('is a server that starts for nobody', () => {
    expect(compare({ failed: 'closed' }, { failed: 'The server ended' })).toBe('')
  })

  it('leaves out how a tool runs as a task', () => {
    const marked = seen({ tools: [{ name: 'a', execution: { taskSupport: 'optional' } }] })
    expect(compare(marked, seen({ tools: [{ name: 'a' }] }))).toBe('')
  })
})

describe('a difference', () => {
  it.each(['tools', 'prompts', 'resources'])('is missing %s, and those that nobody offered', (kind) => {
    const one = seen({ [kind]: [{ name: 'a', uri: 'a:b' }] })
    expect(compare(one, seen())).toBe(`${kind} are missing: a:b`)
    expect(compare(seen(), one)).toBe(`${kind} that the server does not have: a:b`)
  })

  it('is a changed definition', () => {
    const one = seen({ tools: [{ name: 'a', annotations: { readOnlyHint: true } }] })
    expect(compare(one, seen({ tools: [{ name: 'a' }] }))).toContain('tools differ in a: ')
  })

  it('is another answer, in what it says or whether it failed', () => {
    expect(compare(answer('yes'), answer('no'))).toContain('answer 1 differs')
    expect(compare(answer('yes'), answer('yes', { isError: true }))).toContain('answer 1 differs')
    expect(compare(answer('yes'), answer('yes', { structuredContent: {} }))).toContain('answer 1 differs')
    expect(compare(answer('yes'), seen())).toContain('answer 1 differs')
  })

  it('is a server that only some can start', () => {
    expect(compare(seen(), { failed: 'The server ended' })).toBe('The server ended')
    expect(compare({ failed: 'closed' }, seen())).toContain('unlike')
  })
})
