import { expect, it } from 'vitest'
import { repairItem } from './repair-item.ts'

const inputSchema = { type: 'object' }

it.each([
  ['nothing', null],
  ['a number', 5],
  ['no name', { inputSchema }],
  ['an empty name', { name: '', inputSchema }],
  ['a name that is not a text', { name: {}, inputSchema }],
])('%s is no tool', (_what, item) => {
  expect(repairItem(item, 'tools')).toBeUndefined()
})

it('leaves sound entries as they are, with members that nobody knows', () => {
  const item = { name: 'a', inputSchema, title: 'A', hasOwnProperty: 1, 'x-new': [1] }
  expect(repairItem(item, 'tools')).toBe(item)
  const skill = { anything: 'goes' }
  expect(repairItem(skill, 'skills')).toBe(skill)
})

it('leaves out what strict clients could not read', () => {
  const item = { name: 'a', inputSchema, description: 7, annotations: 'x', icons: [1], outputSchema: true }
  expect(repairItem(item, 'tools')).toEqual({ name: 'a', inputSchema })
  expect(repairItem({ name: 'p', arguments: ['x'] }, 'prompts')).toEqual({ name: 'p' })
})

it('adds what has to be there', () => {
  expect(repairItem({ name: 'a' }, 'tools')).toEqual({ name: 'a', inputSchema })
  const properties = { x: {} }
  expect(repairItem({ name: 'a', inputSchema: { properties } }, 'tools')).toEqual({
    name: 'a',
    inputSchema: { properties, type: 'object' },
  })
  expect(repairItem({ uri: 'a:b', size: '5' }, 'resources')).toEqual({ uri: 'a:b', name: 'a:b' })
})
