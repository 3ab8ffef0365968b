import { expect, it } from 'vitest'
import { reasonIn } from './reason-in.ts'

it('finds what Node complains about, and where', () => {
  const stderr = [
    'file:///work/server.mjs:7',
    'const x = ;',
    '          ^',
    '',
    "SyntaxError: Unexpected token ';'",
  ]
  expect(reasonIn([...stderr, '    at x (node:internal)', '', 'Node.js v20'], '/work')).toBe(
    "SyntaxError: Unexpected token ';' (server.mjs:7)",
  )
  expect(reasonIn(['/a/b.js:2', 'TypeError [ERR_X]: no'], '/work')).toBe('TypeError [ERR_X]: no (/a/b.js:2)')
})

it('finds what Python complains about', () => {
  const stderr = [
    'Traceback (most recent call last):',
    '  File "/work/s.py", line 3, in <module>',
    '    x',
    'NameError: name',
  ]
  expect(reasonIn(stderr, '/work')).toBe('NameError: name (s.py:3)')
})

it('says nothing when there is nothing to say', () => {
  expect(reasonIn([], '/')).toBeUndefined()
  expect(reasonIn(['listening', 'some error: maybe'], '/')).toBeUndefined()
})
