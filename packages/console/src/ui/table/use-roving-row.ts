import { useEffect, useRef, useState, type KeyboardEvent, type RefObject } from 'react'
import { destination } from '../lists/roving.ts'

interface Options {
  readonly box: RefObject<HTMLElement | null>
  readonly keys: readonly string[]
  /** The keys of the rows that exist in the page. */
  readonly seen: readonly string[]
  readonly selected: readonly string[] | undefined
  readonly scrollTo: (index: number) => void
  readonly onMove: (index: number) => void
}

/** One row is the tab stop; keys move the focus from it, to rows that do not exist yet as well. */
export function useRovingRow({ box, keys, seen, selected = [], scrollTo, onMove }: Options) {
  const wanted = useRef<string>(undefined)
  const [current, setCurrent] = useState<string>()
  const stop = [current, ...selected].find((key) => key !== undefined && seen.includes(key)) ?? seen[0]
  useEffect(() => {
    if (wanted.current === undefined) return
    const row = box.current?.querySelector<HTMLElement>(`tr[data-key="${CSS.escape(wanted.current)}"]`)
    if (!row) return
    wanted.current = undefined
    row.focus({ preventScroll: true })
  })
  const onKeyDown = (event: KeyboardEvent) => {
    const isOnRow = event.target instanceof HTMLTableRowElement
    const to =
      stop === undefined || !isOnRow ? undefined : destination(event.key, keys.indexOf(stop), keys.length)
    if (to === undefined) return
    event.preventDefault()
    wanted.current = keys[to]!
    setCurrent(keys[to]!)
    scrollTo(to)
    onMove(to)
  }
  return { stop, setCurrent, onKeyDown }
}
