import { afterEach, expect, it, vi } from 'vitest'
import { Passports } from './passport.ts'

const KEY = 'k'.repeat(32)
const OTHER = 'o'.repeat(32)
const ANN = {
  target: 'notes',
  to: 'a',
  principal: { kind: 'person', issuer: 'https://login.example.com', subject: 'ann' },
} as const

afterEach(() => vi.useRealTimers())

it('says whose request it is', () => {
  const passports = new Passports([KEY])
  expect(passports.read(passports.sign(ANN), 'notes')).toMatchObject(ANN)
})

it('is for one target', () => {
  const passports = new Passports([KEY])
  expect(passports.read(passports.sign(ANN), 'mail')).toBeUndefined()
})

it('is worthless after a minute', () => {
  vi.useFakeTimers()
  const passports = new Passports([KEY])
  const signed = passports.sign(ANN)
  vi.advanceTimersByTime(61_000)
  expect(passports.read(signed, 'notes')).toBeUndefined()
})

it('counts when it was signed with any of the keys, so that they can be rotated', () => {
  const signed = new Passports([OTHER]).sign(ANN)
  expect(new Passports([KEY, OTHER]).read(signed, 'notes')).toMatchObject(ANN)
  expect(new Passports([KEY]).read(signed, 'notes')).toBeUndefined()
})

it.each([
  ['nothing', undefined],
  ['an empty text', ''],
  ['no signature', 'e30'],
  ['an empty signature', 'e30.'],
  ['a foreign signature', `${Buffer.from('{"target":"notes","until":9e15}').toString('base64url')}.AAAA`],
])('is refused with %s', (_, text) => {
  expect(new Passports([KEY]).read(text, 'notes')).toBeUndefined()
})

it('is refused when a character was changed', () => {
  const passports = new Passports([KEY])
  const [body, signature] = passports.sign(ANN).split('.') as [string, string]
  const forged = Buffer.from(Buffer.from(body, 'base64url').toString().replace('ann', 'bob')).toString(
    'base64url',
  )
  expect(passports.read(`${forged}.${signature}`, 'notes')).toBeUndefined()
})

it('cannot be made without a key', () => {
  expect(new Passports([]).read(new Passports([KEY]).sign(ANN), 'notes')).toBeUndefined()
})
