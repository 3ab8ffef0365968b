import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react'
import { destination } from './roving.ts'

interface Props<Item> {
  readonly items: readonly Item[]
  readonly label: string
  /** In pixels. */
  readonly rowHeight: number
  readonly keyOf: (item: Item) => string
  readonly isSelected: (item: Item) => boolean
  readonly onSelect: (item: Item) => void
  /** Selects while the keys move, instead of waiting for Enter. */
  readonly selectsByMoving?: boolean
  readonly className?: string | undefined
  readonly rowClassName?: string | undefined
  readonly children: (item: Item) => ReactNode
}

/** A long list of which only the rows in sight exist. It is one tab stop; arrows, Home and End move within it. */
export function VirtualList<Item>(props: Props<Item>) {
  const { items, label, keyOf, isSelected, onSelect } = props
  const box = useRef<HTMLDivElement>(null)
  const wanted = useRef<string>(undefined)
  const [current, setCurrent] = useState<string>()
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => box.current,
    estimateSize: () => props.rowHeight,
    overscan: 12,
    getItemKey: (index) => keyOf(items[index]!),
  })
  // A link may lead to any row. From then on, where the list stands is up to the reader.
  const isPlaced = useRef(false)
  useEffect(() => {
    const index = isPlaced.current ? -1 : items.findIndex(isSelected)
    if (index === -1) return
    isPlaced.current = true
    virtual.scrollToIndex(index, { align: 'center' })
  })
  const rows = virtual.getVirtualItems()
  const stop = tabStop(props, rows, current)
  useEffect(() => {
    if (wanted.current === undefined) return
    const row = box.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(wanted.current)}"]`)
    if (!row) return
    wanted.current = undefined
    row.focus({ preventScroll: true })
  })
  const onKeyDown = (event: KeyboardEvent) => {
    const from = items.findIndex((item) => keyOf(item) === stop)
    const to = destination(event.key, from, items.length)
    if (to === undefined) return
    event.preventDefault()
    isPlaced.current = true
    const item = items[to]!
    wanted.current = keyOf(item)
    setCurrent(keyOf(item))
    virtual.scrollToIndex(to)
    if (props.selectsByMoving) onSelect(item)
  }
  return (
    <div ref={box} className={props.className}>
      <ul style={{ height: virtual.getTotalSize() }} aria-label={label} onKeyDown={onKeyDown}>
        {rows.map(({ index, start, size }) => {
          const item = items[index]!
          const key = keyOf(item)
          return (
            <li
              key={key}
              aria-posinset={index + 1}
              aria-setsize={items.length}
              style={{ height: size, translate: `0 ${start}px` }}
            >
              <button
                type="button"
                data-key={key}
                tabIndex={key === stop ? 0 : -1}
                aria-pressed={isSelected(item)}
                className={props.rowClassName}
                onFocus={() => setCurrent(key)}
                onClick={() => {
                  isPlaced.current = true
                  onSelect(item)
                }}
              >
                {props.children(item)}
              </button>
            </li>
          )
        })}
      </ul>
    </div>
  )
}

/** The row that the Tab key reaches: where one was, else what is selected, else the first in sight. */
function tabStop<Item>(
  { items, keyOf, isSelected }: Props<Item>,
  rows: readonly { index: number }[],
  current: string | undefined,
): string | undefined {
  const seen = rows.map(({ index }) => items[index]!)
  const found = seen.find((item) => keyOf(item) === current) ?? seen.find(isSelected) ?? seen[0]
  return found && keyOf(found)
}
