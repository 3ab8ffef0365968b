import type { ReactNode } from 'react'

export type SortKey = number | string | undefined

/** One column of a table. */
export interface Column<Row> {
  readonly id: string
  readonly title: string
  readonly cell: (row: Row) => ReactNode
  /** What the column is sorted by. Rows without a value come last. Absent: it cannot be sorted. */
  readonly sortBy?: (row: Row) => SortKey
  /** Figures are aligned to the right, and the first click sorts the largest to the top. */
  readonly isNumber?: boolean
  /** A track of a CSS grid, `minmax(0, 1fr)` unless given. */
  readonly width?: string
  /** Its place on a narrow screen: the first line, the end of that line, or none. Else it is a small label with its value. */
  readonly narrow?: 'main' | 'aside' | 'hidden'
}

export interface Sort {
  readonly column: string
  readonly descending: boolean
}
