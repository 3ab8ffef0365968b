import type { Virtualizer } from '@tanstack/react-virtual'
import { useLayoutEffect, useRef, useState, type RefObject } from 'react'

interface Anchor {
  readonly key: string
  /** How much of the row is above the edge, in pixels. */
  readonly hidden: number
}

/**
 * Keeps the rows that are in sight where they are while others come above them, so that they can be read.
 * At the top, with neither pointer nor focus on the table, new rows are shown as they come.
 * Returns how many rows came above since then, and how to go up to them.
 */
export function useAnchor(
  box: RefObject<HTMLDivElement | null>,
  virtual: Virtualizer<HTMLDivElement, Element>,
  keys: readonly string[],
  viewKey: string,
) {
  const anchor = useRef<Anchor>(undefined)
  const view = useRef(viewKey)
  const [seenTop, setSeenTop] = useState<string>()
  const remember = () => {
    const top = box.current?.scrollTop ?? 0
    const first = virtual.getVirtualItemForOffset(top)
    anchor.current = first && { key: String(first.key), hidden: top - first.start }
    if (top === 0) setSeenTop(undefined)
  }
  const toTop = () => box.current?.scrollTo(0, 0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: other rows, or another view of them, are what moves things
  useLayoutEffect(() => {
    const element = box.current
    if (!element) return
    const held = anchor.current
    const isSameView = view.current === viewKey
    view.current = viewKey
    const isRead = element.scrollTop > 0 || element.matches(':hover, :focus-within')
    const index = held && isRead && isSameView ? keys.indexOf(held.key) : -1
    if (held && index >= 0) {
      const to = virtual.measurementsCache[index]!.start + held.hidden
      if (to > element.scrollTop) setSeenTop((old) => old ?? held.key)
      if (to !== element.scrollTop) element.scrollTop = to
    } else if (!isSameView) toTop()
    remember()
  }, [keys, viewKey])
  return { above: seenTop === undefined ? 0 : Math.max(keys.indexOf(seenTop), 0), remember, toTop }
}
