import { describe, expect, it } from 'vitest'
import type { JsonObject } from '@gantry/mcp/exchange'
import { compileExpression } from './expression.ts'
import { withGroups } from './with-groups.ts'

const principal = { kind: 'person', issuer: 'https://login.example.com', subject: 'ann' } as const
const groupsOf = (claims: object, from: Parameters<typeof withGroups>[1]): unknown =>
  withGroups({ principal, scopes: [], claims: claims as JsonObject }, from).claims.groups

describe('groups from claims', () => {
  it.each<[string[], object, string[]]>([
    [['roles'], { roles: ['a', 'b'] }, ['a', 'b']],
    [['roles'], { roles: 'a' }, ['a']],
    [['realm_access.roles'], { realm_access: { roles: ['a'] } }, ['a']],
    [['https://example.com/roles'], { 'https://example.com/roles': ['a'] }, ['a']],
    [['roles', 'teams'], { roles: ['a', 'b'], teams: ['b', 'c'] }, ['a', 'b', 'c']],
    [['roles'], {}, []],
    [['roles'], { groups: ['admin'] }, []],
    [['roles'], { roles: { a: true } }, []],
    [['roles'], { roles: ['a', 1, null, ['b']] }, ['a']],
    [['roles.0'], { roles: ['a'] }, []],
    [['constructor.name'], {}, []],
    [['__proto__.x'], {}, []],
    [['a.b'], { a: null }, []],
  ])('%j of %j', (claims, token, groups) => {
    expect(groupsOf(token, { claims })).toEqual(groups)
  })

  it('without a setting the claims stay as they are', () => {
    const auth = { principal, scopes: [], claims: { groups: ['a'] } }
    expect(withGroups(auth, undefined)).toBe(auth)
  })
})

describe('groups by an expression', () => {
  it.each<[string, object, string[]]>([
    ['claims.roles.filter(r, r.startsWith("mcp-"))', { roles: ['mcp-a', 'b'] }, ['mcp-a']],
    ['claims.department', { department: 'sales' }, ['sales']],
    ['claims.roles', {}, []],
    ['claims.roles + claims.teams', { roles: ['a'], teams: ['b'] }, ['a', 'b']],
    ['principal.subject == "ann" ? ["leads"] : []', {}, ['leads']],
    ['42', {}, []],
    ['tool', {}, []],
  ])('%s', async (source, claims, groups) => {
    expect(groupsOf(claims, { expression: await compileExpression(source) })).toEqual(groups)
  })
})
