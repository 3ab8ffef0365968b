import { expect, it } from 'vitest'
import { soundItem } from './sound-item.ts'

const inputSchema = { type: 'object' }

it.each([
  ['nothing', null],
  ['a number', 5],
  ['no name', { inputSchema }],
  ['an empty name', { name: '', inputSchema }],
  ['a name that is none', { name: {}, inputSchema }],
])('%s is no tool', (_what, item) => {
  expect(soundItem(item, 'tools')).toBeUndefined()
})

it('leaves sound entries as they are, with members that nobody knows', () => {
  const item = { name: 'a', inputSchema, title: 'A', hasOwnProperty: 1, 'x-new': [1] }
  expect(soundItem(item, 'tools')).toBe(item)
  const skill = { anything: 'goes' }
  expect(soundItem(skill, 'skills')).toBe(skill)
})

it('leaves out what strict clients could not read', () => {
  const item = { name: 'a', inputSchema, description: 7, annotations: 'x', icons: [1], outputSchema: true }
  expect(soundItem(item, 'tools')).toEqual({ name: 'a', inputSchema })
  expect(soundItem({ name: 'p', arguments: ['x'] }, 'prompts')).toEqual({ name: 'p' })
})

it('adds what has to be there', () => {
  expect(soundItem({ name: 'a' }, 'tools')).toEqual({ name: 'a', inputSchema })
  const properties = { x: {} }
  expect(soundItem({ name: 'a', inputSchema: { properties } }, 'tools')).toEqual({
    name: 'a',
    inputSchema: { properties, type: 'object' },
  })
  expect(soundItem({ uri: 'a:b', size: '5' }, 'resources')).toEqual({ uri: 'a:b', name: 'a:b' })
})
