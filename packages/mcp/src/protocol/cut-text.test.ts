import { expect, it } from 'vitest'
import { cutText } from './cut-text.ts'

it('keeps short texts', () => expect(cutText('short', 5)).toBe('short'))

it('leaves no half of a word behind', () => {
  expect(cutText('the token is abcdef', 16)).toBe('the token is …')
  expect(cutText('{"token":"abcdef"}', 13)).toBe('{"token":"…')
})

it('cuts a word without an end, and not at its last thousand characters', () => {
  expect(cutText('x'.repeat(5000), 4000)).toBe(`${'x'.repeat(3000)}…`)
})
