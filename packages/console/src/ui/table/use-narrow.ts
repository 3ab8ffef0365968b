import { useLayoutEffect, useState, type RefObject } from 'react'

/** What a column needs to be readable, and what is enough for any number of them. In pixels. */
const COLUMN = 110
const ENOUGH = 600

/** Whether the rows have to be cards. */
export function useNarrow(box: RefObject<HTMLElement | null>, columns: number): boolean {
  const [isNarrow, setNarrow] = useState(false)
  useLayoutEffect(() => {
    const element = box.current
    if (!element) return
    const look = () => setNarrow(element.clientWidth < Math.min(columns * COLUMN, ENOUGH))
    look()
    const observer = new ResizeObserver(look)
    observer.observe(element)
    return () => observer.disconnect()
  }, [box, columns])
  return isNarrow
}
