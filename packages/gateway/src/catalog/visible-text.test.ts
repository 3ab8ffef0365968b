import { expect, it } from 'vitest'
import { visibleText } from './visible-text.ts'

const HIDDEN = '\u{E0069}\u{E0067}\u202E'

it('takes hidden signs out of titles and descriptions, also of parameters', () => {
  const item = {
    name: `n${HIDDEN}`,
    title: `Read${HIDDEN}`,
    annotations: { title: `Read${HIDDEN}` },
    inputSchema: { properties: { path: { description: `A path${HIDDEN}`, enum: [HIDDEN] } } },
    arguments: [{ name: 'a', description: `A word${HIDDEN}` }],
  }
  expect(visibleText(item)).toEqual({
    name: `n${HIDDEN}`,
    title: 'Read',
    annotations: { title: 'Read' },
    inputSchema: { properties: { path: { description: 'A path', enum: [HIDDEN] } } },
    arguments: [{ name: 'a', description: 'A word' }],
  })
})

it('leaves everything else as it is', () => {
  const item = { name: 'a', description: 'Größe – 大きさ', inputSchema: { type: 'object' } }
  expect(visibleText(item)).toBe(item)
})
