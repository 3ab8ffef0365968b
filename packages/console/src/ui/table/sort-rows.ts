import type { Column, Sort, SortKey } from './column.ts'

/** A sorted copy; rows that are equal keep their order. Each row's key is read one time. */
export function sortRows<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  sort: Sort | undefined,
): readonly Row[] {
  const sortBy = sort && columns.find(({ id }) => id === sort.column)?.sortBy
  if (!sort || !sortBy) return rows
  const keyed = rows.map((row) => ({ row, key: comparable(sortBy(row)) }))
  const sign = sort.descending ? -1 : 1
  keyed.sort((a, b) => compare(a.key, b.key, sign))
  return keyed.map(({ row }) => row)
}

function comparable(key: SortKey): SortKey {
  return typeof key === 'string' ? key.toLowerCase() : key
}

function compare(a: SortKey, b: SortKey, sign: number): number {
  if (a === b) return 0
  if (a === undefined) return 1
  if (b === undefined) return -1
  return a < b ? -sign : sign
}

/** What a click on a column asks for. */
export function nextSort<Row>({ id, isNumber = false }: Column<Row>, sort: Sort | undefined): Sort {
  return { column: id, descending: sort?.column === id ? !sort.descending : isNumber }
}

/** `-duration` in an address: sorted by duration, the largest first. */
export function readSort(text: string | undefined): Sort | undefined {
  if (text === undefined || text === '') return undefined
  const descending = text.startsWith('-')
  return { column: descending ? text.slice(1) : text, descending }
}

export function writeSort({ column, descending }: Sort): string {
  return `${descending ? '-' : ''}${column}`
}
