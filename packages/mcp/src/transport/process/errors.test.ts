import { expect, it } from 'vitest'
import { exitedError } from './errors.ts'

const messageFor = (stderr: string[]): string =>
  exitedError({ key: 'node server.mjs', pid: 1, exit: { code: 1, signal: null }, stderr }).message

const frames = Array.from({ length: 20 }, (_, index) => `    at frame${index} (file.mjs:${index})`)

it.each([
  ['a long stack', ['listening', 'SyntaxError: Unexpected token', ...frames, '', 'Node.js v22']],
  ['a stack of just that many lines', ['SyntaxError: Unexpected token', ...frames.slice(0, 9)]],
  ['an error after other lines', [...frames, 'SyntaxError: Unexpected token', '    at once']],
])('shows what went wrong with %s, in ten lines', (_, stderr) => {
  const lines = messageFor(stderr).split('\n')
  expect(lines.join('\n')).toContain('SyntaxError: Unexpected token')
  expect(lines.at(-1)).toBe(`  ${stderr.at(-1)}`)
  expect(lines).toHaveLength(11)
})

it('shows the last lines where none belongs to another, and says when there are none', () => {
  const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`)
  expect(messageFor(lines).split('\n').slice(1)).toEqual(lines.slice(-10).map((line) => `  ${line}`))
  expect(messageFor(frames)).toContain('frame0')
  expect(messageFor([])).toBe('node server.mjs exited with code 1; it wrote nothing to stderr')
})
