import { describe, expect, it } from 'vitest'
import { ExpectedChecks } from './expected-checks.mjs'

describe('ExpectedChecks', () => {
  const facts = () => ({
    server: { ping: 'a b', skipped: '', mixed: { '2025-11-25': 'x', '2026-07-28': 'x y' } },
  })

  it('knows ids of all revisions and of one', () => {
    const expected = new ExpectedChecks(facts())
    expect(expected.of('server', 'ping', '2025-11-25')).toEqual(['a', 'b'])
    expect(expected.of('server', 'skipped', 'extension')).toEqual([])
    expect(expected.of('server', 'mixed', '2026-07-28')).toEqual(['x', 'y'])
    expect(expected.of('server', 'mixed', '2025-06-18')).toBeUndefined()
    expect(expected.of('client', 'ping', '2025-11-25')).toBeUndefined()
  })

  it('adds what was passed and never forgets', () => {
    const expected = new ExpectedChecks(facts())
    expected.add('server', 'mixed', '2025-11-25', ['z'])
    expected.add('client', 'new', 'extension', ['q', 'p'])
    expect(expected.of('server', 'mixed', '2025-11-25')).toEqual(['x', 'z'])
    expect(expected.of('client', 'new', 'extension')).toEqual(['p', 'q'])
  })

  it('has a record for the whole pinned suite', () => {
    const { server, client } = ExpectedChecks.read().facts
    expect(Object.keys(server)).toHaveLength(65)
    expect(Object.keys(client)).toHaveLength(48)
  })
})
