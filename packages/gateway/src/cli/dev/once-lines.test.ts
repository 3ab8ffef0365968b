import { expect, it } from 'vitest'
import { OnceLines } from './once-lines.ts'

function printed(...lines: string[]): string[] {
  const out: string[] = []
  const once = new OnceLines((line) => out.push(line))
  for (const line of lines) once.add(line)
  return out
}

it('says a repetition from the beginning once', () => {
  expect(printed('a', 'b', 'c', 'a', 'b', 'c')).toEqual(['a', 'b', 'c'])
  expect(printed('a', 'b', 'b')).toEqual(['a', 'b', 'b'])
})

it('keeps what only begins the same', () => {
  expect(printed('up', 'bad', 'up', 'good')).toEqual(['up', 'bad', 'up', 'good'])
})

it('begins anew after a reset', () => {
  const out: string[] = []
  const once = new OnceLines((line) => out.push(line))
  once.add('up')
  once.reset()
  once.add('up')
  expect(out).toEqual(['up', 'up'])
})
