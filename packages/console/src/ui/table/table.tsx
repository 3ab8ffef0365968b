import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useMemo, useRef, useState, type CSSProperties } from 'react'
import { plural } from '../text/format.ts'
import type { Column, Sort } from './column.ts'
import { Head } from './head.tsx'
import { TableRow } from './row.tsx'
import { sortRows, writeSort } from './sort-rows.ts'
import { SortSelect } from './sort-select.tsx'
import styles from './table.module.css'
import { useAnchor } from './use-anchor.ts'
import { useNarrow } from './use-narrow.ts'
import { useRovingRow } from './use-roving-row.ts'

/** The height of a row with one line, and of the titles, in pixels. */
const ROW = 33

export interface TableProps<Row> {
  readonly label: string
  readonly rows: readonly Row[]
  readonly columns: readonly Column<Row>[]
  readonly keyOf: (row: Row) => string
  /** Makes rows reachable by keyboard: arrows move, Enter and a click open. */
  readonly onOpen?: (row: Row, how: { readonly shift: boolean }) => void
  /** Opens while the keys move, instead of waiting for Enter. */
  readonly opensByMoving?: boolean
  /** The keys of the rows that are open. */
  readonly selected?: readonly string[]
  readonly sort?: Sort | undefined
  /** Where the order is kept elsewhere, in the address for example. Else the table keeps it. */
  readonly onSort?: (sort: Sort) => void
  /** Another view of the rows, by a filter for example: the table goes to its top. */
  readonly viewKey?: string
  /** Rows are as high as their text needs. */
  readonly wraps?: boolean
  /** As high as its place, instead of as high as its rows up to most of the window. */
  readonly fill?: boolean
}

/** The table of all pages: any number of rows, of which those in sight exist; cards on a narrow screen. */
export function Table<Row>(props: TableProps<Row>) {
  const { columns, keyOf, label, viewKey = '' } = props
  const [own, setOwn] = useState(props.sort)
  const sort = props.onSort ? props.sort : own
  const onSort = props.onSort ?? setOwn
  const rows = useMemo(() => sortRows(props.rows, columns, sort), [props.rows, columns, sort])
  // biome-ignore lint/correctness/useExhaustiveDependencies: how a row is named does not change
  const keys = useMemo(() => rows.map(keyOf), [rows])
  const box = useRef<HTMLDivElement>(null)
  const isNarrow = useNarrow(box, columns)
  const isMeasured = isNarrow || props.wraps === true
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => (isNarrow ? ROW * 2 : ROW),
    overscan: 10,
    scrollPaddingEnd: ROW,
    getItemKey: (index) => keys[index]!,
  })
  useEffect(() => {
    if (!isNarrow) virtual.measure()
  }, [isNarrow, virtual])
  const { above, remember, toTop } = useAnchor(
    box,
    virtual,
    keys,
    `${sort ? writeSort(sort) : ''} ${viewKey}`,
  )
  const items = virtual.getVirtualItems()
  const { onOpen } = props
  const roving = useRovingRow({
    box,
    keys,
    seen: items.map(({ index }) => keys[index]!),
    selected: props.selected,
    scrollTo: (index) => virtual.scrollToIndex(index),
    onMove: (index) => props.opensByMoving && onOpen?.(rows[index]!, { shift: false }),
  })
  const tracks = columns.map(({ width = 'minmax(0, 1fr)' }) => width).join(' ')
  const isSorted = columns.some(({ sortBy }) => sortBy)
  return (
    <div className={`${styles.frame} ${props.fill ? styles.fill : ''}`}>
      {isNarrow && isSorted && <SortSelect columns={columns} sort={sort} onSort={onSort} />}
      {above > 0 && (
        <button type="button" className={styles.above} onClick={toTop}>
          {plural(above, 'new row')} above
        </button>
      )}
      <div
        ref={box}
        className={styles.box}
        onScroll={remember}
        // Scrollable, so the keyboard has to get there; where rows can be opened, they are what it gets to.
        tabIndex={onOpen ? undefined : 0}
      >
        <table
          role={onOpen ? 'grid' : undefined}
          aria-label={label}
          aria-rowcount={rows.length + 1}
          className={styles.table}
          data-narrow={isNarrow || undefined}
          data-wraps={props.wraps}
          style={{ '--columns': tracks } as CSSProperties}
        >
          <Head columns={columns} sort={sort} onSort={onSort} />
          <tbody style={{ height: virtual.getTotalSize() }} onKeyDown={onOpen && roving.onKeyDown}>
            {items.map(({ index, start }) => (
              <TableRow
                key={keys[index]}
                row={rows[index]!}
                rowKey={keys[index]!}
                columns={columns}
                index={index}
                start={start}
                measure={isMeasured ? virtual.measureElement : undefined}
                isStop={keys[index] === roving.stop}
                isSelected={props.selected?.includes(keys[index]!) ?? false}
                onFocus={roving.setCurrent}
                onOpen={onOpen}
              />
            ))}
          </tbody>
        </table>
      </div>
    </div>
  )
}
