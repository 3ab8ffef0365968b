import { describe, expect, it } from 'vitest'
import type { WireRecord } from '../../api/contract.ts'
import { completeFilter, hasPart, togglePart } from './complete-filter.ts'

const record = (id: number, name: string, client: string): WireRecord => ({
  id,
  at: 0,
  method: 'tools/call',
  name,
  client: { name: client, revision: '2026-07-28' },
  status: 'ok',
  messages: 0,
})
const records = [record(1, 'a_search', 'Claude Code'), record(2, 'b_add', 'cursor')]

describe('completeFilter', () => {
  it('completes names of fields after what is there', () => {
    expect(completeFilter('status:ok ta', records)).toEqual(['status:ok target:'])
    expect(completeFilter('-cl', records)).toEqual(['-client:'])
  })

  it('completes values that there are, in quotes where they need them', () => {
    expect(completeFilter('tool:', records)).toEqual(['tool:a_search', 'tool:b_add'])
    expect(completeFilter('tool:SEA', records)).toEqual(['tool:a_search'])
    expect(completeFilter('>1s client:cl', records)).toEqual(['>1s client:"Claude Code"'])
    expect(completeFilter('client:"claude c', records)).toEqual(['client:"Claude Code"'])
    expect(completeFilter('nothing:x', records)).toEqual([])
  })

  it('puts parts in and takes them out', () => {
    const both = togglePart('>1s', 'client:"Claude Code"')
    expect(both).toBe('>1s client:"Claude Code"')
    expect(hasPart(both, 'client:"Claude Code"')).toBe(true)
    expect(togglePart(both, 'client:"Claude Code"')).toBe('>1s')
  })
})
