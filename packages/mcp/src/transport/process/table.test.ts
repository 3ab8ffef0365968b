import { describe, expect, it } from 'vitest'
import { parseProcStat, parsePs, processTable } from './table.node.ts'

describe('processTable', () => {
  it('finds this process', async () => {
    const rows = await processTable()
    expect(rows.find((row) => row.pid === process.pid)).toMatchObject({ parent: process.ppid })
  })

  it('reads a name that looks like fields', () => {
    const text = '42 (a) Z 1 (b) S 7 42 40 0 -1 4194560 1 0 0 0 2 1 0 0 20 0 1 0 31337 9 9'
    expect(parseProcStat(text)).toEqual({ pid: 42, parent: 7, session: 40, start: '31337' })
  })

  it('leaves out the dead', () => {
    expect(parseProcStat('42 (a) Z 7 42 40 0 -1')).toBeUndefined()
    const ps =
      '    1     0     1 Ss   Mon Jan  5 10:00:00 2026\n   42     1    42 Z    Mon Jan  5 10:00:01 2026\n'
    expect(parsePs(ps)).toEqual([{ pid: 1, parent: 0, session: 1, start: 'Mon Jan 5 10:00:00 2026' }])
  })
})
