import { describe, expect, it } from 'vitest'
import { excuse, notPossible } from './not-possible.mjs'

const LIST = [
  { cells: /^new\/old/, scenarios: ['a'], reason: 'why' },
  { cells: /^old\//, scenarios: ['b'], checks: ['one'], reason: 'why not' },
]

describe('notPossible', () => {
  it('holds for its cells and scenarios only', () => {
    expect(notPossible('new/old-stdio/alone', 'a', LIST)?.reason).toBe('why')
    expect(notPossible('new/new-stdio/alone', 'a', LIST)).toBeUndefined()
    expect(notPossible('new/old-stdio/alone', 'b', LIST)).toBeUndefined()
  })
})

describe('excuse', () => {
  it('changes nothing where nothing is known', () => {
    expect(excuse({ problems: ['bad'], checked: [] }, undefined)).toEqual({ problems: ['bad'] })
  })

  it('excuses a whole scenario, with the reason', () => {
    const problems = ['failure one: bad', 'warning two: hm']
    expect(excuse({ problems, checked: [] }, LIST[0])).toEqual({ problems: [], notPossible: 'why' })
  })

  it('excuses no crash and no time-out', () => {
    expect(excuse({ problems: ['timed out'], checked: [] }, LIST[0])).toEqual({ problems: ['timed out'] })
  })

  it('excuses a missing check and nothing else of its scenario', () => {
    const problems = ['not checked, though it can be: one', 'failure two: bad']
    expect(excuse({ problems, checked: [] }, LIST[1])).toEqual({ problems: ['failure two: bad'] })
  })

  it('complains about what passes after all', () => {
    expect(excuse({ problems: [], checked: [] }, LIST[0]).problems).toHaveLength(1)
    expect(excuse({ problems: [], checked: ['one'] }, LIST[1]).problems).toHaveLength(1)
  })
})
