import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Warnings } from '../warnings.ts'
import { generateName, nameOperations, toToolName } from './name-operations.ts'
import type { Operation } from './operation.ts'

const operation = (key: string, operationId?: string) => {
  const [method, path] = key.split(' ')
  return { key, method: method!.toLowerCase(), path, operationId } as Operation
}
const names = (...operations: Operation[]) => [...nameOperations(operations, {}, new Warnings()).values()]

describe('names', () => {
  it.each([
    ['GET /users/{id}', 'get_users_by_id'],
    ['POST /users/{userId}/blog-posts', 'post_users_by_user_id_blog_posts'],
    ['GET /', 'get'],
    ['DELETE /a/{b}.{c}', 'delete_a_by_b_by_c'],
  ])('%s → %s', (key, name) => {
    expect(generateName(operation(key))).toBe(name)
  })

  it('an operationId keeps its look', () => {
    expect(names(operation('GET /a', 'repos/list-for-org'), operation('GET /b', 'Ünïcode name'))).toEqual([
      'repos_list-for-org',
      'n_code_name',
    ])
  })

  it('duplicates differ by a hash of method and path, whatever their order', () => {
    const [first, second] = names(operation('GET /a', 'same'), operation('GET /b', 'same'))
    expect(first).toBe('same')
    expect(second).toMatch(/^same_[0-9a-f]{8}$/)
    expect(names(operation('GET /z', 'same'), operation('GET /b', 'same'))[1]).toBe(second)
  })

  it('any text gives a valid name of at most 64 characters, and long ones stay apart', () => {
    fc.assert(fc.property(fc.string(), (text) => /^[A-Za-z0-9_-]{1,64}$/.test(toToolName(text))))
    expect(toToolName(`${'x'.repeat(80)}a`)).not.toBe(toToolName(`${'x'.repeat(80)}b`))
  })
})
