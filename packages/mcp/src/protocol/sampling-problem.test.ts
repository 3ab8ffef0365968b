import { expect, it } from 'vitest'
import { samplingProblem } from './sampling-problem.ts'

const text = { type: 'text', text: 'x' }
const use = (id: string) => ({ type: 'tool_use', id, name: 't', input: {} })
const result = (toolUseId: string) => ({ type: 'tool_result', toolUseId, content: [] })
const user = (...content: object[]) => ({ role: 'user', content })
const model = (...content: object[]) => ({ role: 'assistant', content })

it.each([
  ['no messages', []],
  ['plain text, alone or in a list', [{ role: 'user', content: text }, model(text)]],
  ['a use and its result', [user(text), model(use('a')), user(result('a'))]],
  [
    'several at once, in any order',
    [model(text, use('a'), use('b')), user(result('b'), result('a')), model(text)],
  ],
])('accepts %s', (_what, messages) => {
  expect(samplingProblem(messages)).toBeUndefined()
})

it.each([
  ['mixed content', [model(use('a')), user(result('a'), text)], 'message 1 mixes tool results'],
  [
    'a use without a result',
    [model(use('a'), use('b')), user(result('a'))],
    'message 1 does not answer.*"b"',
  ],
  [
    'a use that is passed over',
    [model(use('a')), user(text), user(result('a'))],
    'message 1 does not answer.*"a"',
  ],
  ['a result of nothing', [user(result('a'))], 'message 0 has the result "a"'],
  ['a use at the end', [model(use('a'))], 'nothing answers.*"a"'],
  ['no list', undefined, '"messages" must be an array'],
])('refuses %s', (_what, messages, problem) => {
  expect(samplingProblem(messages)).toMatch(new RegExp(problem))
})

it.each([[[null]], [['x']], [[{ content: null }]], [[{ content: [null, 7] }]]])('survives %j', (messages) => {
  expect(samplingProblem(messages)).toBeUndefined()
})
