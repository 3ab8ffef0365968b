import { describe, expect, it } from 'vitest'
import type { Column } from './column.ts'
import { nextSort, readSort, sortRows, writeSort } from './sort-rows.ts'

interface Row {
  readonly name: string
  readonly ms?: number
}

const columns: Column<Row>[] = [
  { id: 'name', title: 'Name', cell: () => '', sortBy: ({ name }) => name },
  { id: 'ms', title: 'ms', cell: () => '', sortBy: ({ ms }) => ms, isNumber: true },
  { id: 'plain', title: 'Plain', cell: () => '' },
]
const rows: Row[] = [{ name: 'b', ms: 9 }, { name: 'C' }, { name: 'a', ms: 10 }, { name: 'd', ms: 9 }]
const names = (column: string, descending: boolean) =>
  sortRows(rows, columns, { column, descending })
    .map(({ name }) => name)
    .join('')

describe('sortRows', () => {
  it('sorts text without regard to case, and numbers as numbers', () => {
    expect(names('name', false)).toBe('abCd')
    expect(names('ms', false)).toBe('bdaC')
  })

  it('puts rows without a value last in both directions, and keeps the order of equal rows', () => {
    expect(names('ms', true)).toBe('abdC')
  })

  it('leaves rows alone without a sort, and for a column that has none', () => {
    expect(sortRows(rows, columns, undefined)).toBe(rows)
    expect(names('plain', true)).toBe('bCad')
    expect(names('gone', true)).toBe('bCad')
  })

  it('begins with the largest figure, and turns round with the next click', () => {
    const first = nextSort(columns[1]!, undefined)
    expect(first).toEqual({ column: 'ms', descending: true })
    expect(nextSort(columns[1]!, first)).toEqual({ column: 'ms', descending: false })
    expect(nextSort(columns[0]!, first)).toEqual({ column: 'name', descending: false })
  })

  it('is written in addresses', () => {
    for (const text of ['ms', '-ms']) expect(writeSort(readSort(text)!)).toBe(text)
    expect(readSort('')).toBeUndefined()
  })
})
