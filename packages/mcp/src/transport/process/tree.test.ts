import { describe, expect, it } from 'vitest'
import type { ProcessRow } from './table.node.ts'
import { selectTree } from './tree.node.ts'

function row(pid: number, parent: number, session: number): ProcessRow {
  return { pid, parent, session, start: `t${pid}` }
}

function pids(rows: ProcessRow[], root: number, known?: Map<number, string>): number[] {
  return selectTree(rows, root, known)
    .map((one) => one.pid)
    .sort((a, b) => a - b)
}

const us = row(process.pid, 1, 5)
const others = [row(1, 0, 1), us, row(6, process.pid, 5), row(7, 1, 7), row(8, 1, 0)]

describe('selectTree', () => {
  it('takes descendants, orphans of the session, and sessions that descendants made', () => {
    const tree = [
      row(100, process.pid, 100),
      row(101, 100, 100),
      row(102, 1, 100), // its parent has gone
      row(103, 101, 103), // has left
      row(104, 1, 103), // child of one that had left and has gone
    ]
    expect(pids([...others, ...tree], 100)).toEqual([100, 101, 102, 103, 104])
  })

  it('finds the session when its leader has gone', () => {
    expect(pids([...others, row(101, 1, 100)], 100)).toEqual([101])
  })

  it('recognises those seen before by pid and start time, not a later process with the same pid', () => {
    const rows = [...others, row(103, 1, 103), row(104, 103, 103)]
    expect(pids(rows, 100)).toEqual([])
    expect(pids(rows, 100, new Map([[103, 't103']]))).toEqual([103, 104])
    expect(pids(rows, 100, new Map([[103, 'earlier']]))).toEqual([])
  })

  it('never takes our own session or one from outside the namespace', () => {
    const odd = [row(100, process.pid, 5), row(101, 100, 0)]
    expect(pids([...others, ...odd], 100)).toEqual([100, 101])
  })
})
