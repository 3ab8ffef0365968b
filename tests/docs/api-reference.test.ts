import { describe, expect, it } from 'vitest'
import { readExports } from '../../scripts/lib/api-examples.mjs'

const exported = readExports()

describe('the reference of the SDK', () => {
  it('has an example for every export of every entry', () => {
    const without = exported
      .filter(({ examples }) => examples.length === 0)
      .map(({ name, entries }) => `${entries.at(-1)} ${name}: use it in a block of docs/reference/*.md`)
    expect(exported.length).toBeGreaterThan(400)
    expect(without).toEqual([])
  })

  it.each(['Context', 'Client'])('uses every public member of %s somewhere', (name) => {
    const { members } = exported.find((one) => one.name === name && one.members.length > 5) ?? { members: [] }
    const used = new Set(exported.flatMap(({ examples }) => examples.flatMap(({ names }) => [...names])))
    expect(members.length).toBeGreaterThan(5)
    expect(members.filter((member) => !used.has(member))).toEqual([])
  })
})
