import { expect, it } from 'vitest'
import { copyWith } from './copy-with.ts'

it('copies an object with one member set anew', () => {
  const object = { a: 1, b: { c: 2 } }
  expect(copyWith(object, 'b', 3)).toEqual({ a: 1, b: 3 })
  expect(copyWith(object, 'd', 4)).toEqual({ a: 1, b: { c: 2 }, d: 4 })
  expect(object).toEqual({ a: 1, b: { c: 2 } })
  expect(copyWith(object, 'd', 4).b).toBe(object.b)
})

it('takes hostile names for names', () => {
  const hostile = JSON.parse('{"__proto__":{"admin":true},"constructor":1,"name":"x"}')
  const copy = copyWith(hostile, '_meta', {})
  expect(JSON.parse(JSON.stringify(copy))).toEqual({ ...hostile, _meta: {} })
  expect(Object.getPrototypeOf(copy)).toBe(Object.prototype)
  expect(copy.admin).toBeUndefined()
})
