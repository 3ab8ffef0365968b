import { useLayoutEffect, useState, type RefObject } from 'react'
import type { Column } from './column.ts'

/** What a column needs that does not say it, and what is enough for any number of them. In pixels. */
const COLUMN = 110
const ENOUGH = 960
const REM = 16

/** Whether the rows have to be cards: their columns have no room side by side. */
export function useNarrow<Row>(box: RefObject<HTMLElement | null>, columns: readonly Column<Row>[]): boolean {
  const [isNarrow, setNarrow] = useState(false)
  const needed = Math.min(
    columns.reduce((sum, { width }) => sum + leastOf(width), 0),
    ENOUGH,
  )
  useLayoutEffect(() => {
    const element = box.current
    if (!element) return
    const look = () => setNarrow(element.clientWidth < needed)
    look()
    const observer = new ResizeObserver(look)
    observer.observe(element)
    return () => observer.disconnect()
  }, [box, needed])
  return isNarrow
}

function leastOf(width = ''): number {
  const rem = /^(?:minmax\()?([\d.]+)rem/.exec(width)?.[1]
  return rem === undefined ? COLUMN : Number(rem) * REM
}
