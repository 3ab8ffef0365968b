import { describe, expect, it } from 'vitest'
import { REVISIONS } from './revisions.ts'
import { isResourceNotFound, resourceNotFound, shapeError } from './shape.ts'

const missing = resourceNotFound('doc://a').toJsonRpc()

describe('an error in the form of a revision', () => {
  it.each(REVISIONS)('has the code that %s has for a resource that does not exist', (revision) => {
    const code = revision >= '2026-07-28' ? -32602 : -32002
    const expected = { code, message: 'Resource not found: doc://a', data: { uri: 'doc://a' } }
    for (const method of ['resources/read', 'skills/get', 'resources/directory/read']) {
      expect(shapeError(method, missing, revision)).toEqual(expected)
      expect(shapeError(method, { ...missing, code: -32002 }, revision)).toEqual(expected)
    }
  })

  it.each(REVISIONS)('stays what it is in %s when it says something else', (revision) => {
    for (const [method, error] of [
      ['tools/call', missing],
      ['completion/complete', missing],
      ['resources/read', { code: -32602, message: 'Invalid params' }],
      ['resources/read', { code: -32603, message: 'Internal error', data: { uri: 'doc://a' } }],
    ] as const) {
      expect(shapeError(method, error, revision)).toBe(error)
      expect(isResourceNotFound(method, error)).toBe(false)
    }
  })
})
