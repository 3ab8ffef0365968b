import { Select } from '../controls/fields.tsx'
import type { Column, Sort } from './column.ts'
import { readSort, writeSort } from './sort-rows.ts'

interface Props<Row> {
  readonly columns: readonly Column<Row>[]
  readonly sort: Sort | undefined
  readonly onSort: (sort: Sort) => void
}

/** In place of titles where rows are cards. */
export function SortSelect<Row>({ columns, sort, onSort }: Props<Row>) {
  const options = columns
    .filter(({ sortBy }) => sortBy)
    .flatMap(({ id, title }): [string, string][] => [
      [id, `${title} ↑`],
      [`-${id}`, `${title} ↓`],
    ])
  return (
    <Select
      label="Sort by"
      shown
      value={sort ? writeSort(sort) : ''}
      onChange={(text) => {
        const chosen = readSort(text)
        if (chosen) onSort(chosen)
      }}
      options={sort ? options : [['', '–'], ...options]}
    />
  )
}
