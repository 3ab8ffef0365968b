import { describe, expect, it } from 'vitest'
import {
  isMethodInRevision,
  METHOD_NAMES,
  methodFacts,
  eraOf,
  isModern,
  isRevision,
  LATEST_LEGACY,
  LATEST_MODERN,
  LEGACY_REVISIONS,
  MODERN_REVISIONS,
  REVISIONS,
} from './revisions.ts'
import { shapeError, resourceNotFound, shapeResult } from './shape.ts'

// CONTRIBUTING.md, "How to add a protocol revision": these tables are all that has to know of one.

describe('the table of revisions', () => {
  it('is in the order of time, and every revision has one era', () => {
    expect([...REVISIONS].sort()).toEqual([...REVISIONS])
    expect([...LEGACY_REVISIONS, ...MODERN_REVISIONS]).toEqual([...REVISIONS])
    expect(LEGACY_REVISIONS.every((one) => eraOf(one) === 'legacy' && !isModern(one))).toBe(true)
    expect(MODERN_REVISIONS.every((one) => eraOf(one) === 'modern' && isModern(one))).toBe(true)
  })

  it('names the latest of each era', () => {
    expect(LATEST_LEGACY).toBe(LEGACY_REVISIONS.at(-1))
    expect(LATEST_MODERN).toBe(MODERN_REVISIONS.at(-1))
  })

  it.each(REVISIONS)('%s is a revision, and the day after it is none', (revision) => {
    expect(isRevision(revision)).toBe(true)
    expect(isRevision(`${revision}x`)).toBe(false)
  })
})

describe.each(REVISIONS)('in %s', (revision) => {
  it('every method of the table is there from its first revision to its last', () => {
    for (const method of METHOD_NAMES) {
      const { since, until } = methodFacts(method)!
      expect(since <= until).toBe(true)
      expect(isMethodInRevision(method, revision), method).toBe(since <= revision && revision <= until)
    }
  })

  it('the methods of its era are there, and those of the other are not', () => {
    expect(isMethodInRevision('initialize', revision)).toBe(!isModern(revision))
    expect(isMethodInRevision('server/discover', revision)).toBe(isModern(revision))
    for (const method of ['tools/list', 'tools/call', 'resources/read', 'prompts/get']) {
      expect(isMethodInRevision(method, revision)).toBe(true)
    }
  })

  it('results and errors have a form for every method', () => {
    for (const method of METHOD_NAMES) {
      const shaped = shapeResult(method, { kept: 1 }, revision, undefined)
      expect(shaped.kept).toBe(1)
      expect('resultType' in shaped).toBe(isModern(revision))
      const { code } = shapeError(method, resourceNotFound('doc://a').toJsonRpc(), revision)
      expect([-32602, -32002]).toContain(code)
      if (isModern(revision)) expect(code).toBe(-32602)
    }
  })
})
