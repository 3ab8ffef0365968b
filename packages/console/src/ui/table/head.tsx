import { ArrowDown, ArrowUp } from 'lucide-react'
import { useState, type KeyboardEvent } from 'react'
import type { Column, Sort } from './column.ts'
import { nextSort } from './sort-rows.ts'
import styles from './table.module.css'

interface Props<Row> {
  readonly columns: readonly Column<Row>[]
  readonly sort: Sort | undefined
  readonly onSort: (sort: Sort) => void
}

/** The titles; those that sort are one tab stop, and the left and right keys move between them. */
export function Head<Row>({ columns, sort, onSort }: Props<Row>) {
  const sorting = columns.filter(({ sortBy }) => sortBy)
  const [current, setCurrent] = useState(sort?.column)
  const stop = sorting.some(({ id }) => id === current) ? current : sorting[0]?.id
  const onKeyDown = (event: KeyboardEvent<HTMLTableSectionElement>) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    const next = step && sorting[sorting.findIndex(({ id }) => id === stop) + step]
    if (!next) return
    event.preventDefault()
    event.currentTarget.querySelector<HTMLElement>(`[data-column="${CSS.escape(next.id)}"]`)?.focus()
  }
  return (
    <thead onKeyDown={onKeyDown}>
      <tr aria-rowindex={1}>
        {columns.map((column) => (
          <th
            key={column.id}
            scope="col"
            className={column.isNumber ? styles.number : undefined}
            aria-sort={
              sort?.column === column.id ? (sort.descending ? 'descending' : 'ascending') : undefined
            }
          >
            {column.sortBy ? (
              <button
                type="button"
                data-column={column.id}
                tabIndex={column.id === stop ? 0 : -1}
                onFocus={() => setCurrent(column.id)}
                onClick={() => onSort(nextSort(column, sort))}
              >
                {column.title}
                <Direction sort={sort?.column === column.id ? sort : undefined} />
              </button>
            ) : (
              column.title
            )}
          </th>
        ))}
      </tr>
    </thead>
  )
}

function Direction({ sort }: { sort: Sort | undefined }) {
  if (!sort) return null
  return sort.descending ? <ArrowDown size={12} aria-hidden /> : <ArrowUp size={12} aria-hidden />
}
