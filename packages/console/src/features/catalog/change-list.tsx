import { useVirtualizer } from '@tanstack/react-virtual'
import { useRef, useState } from 'react'
import type { CatalogChange } from '../../api/contract.ts'
import styles from './change-list.module.css'
import { ChangeView } from './change-view.tsx'

interface Props {
  /** Newest first. */
  readonly changes: readonly CatalogChange[]
  /** How many of them are new; a line sets the others off. */
  readonly fresh: number
}

/** Any number of changes, of which those in sight are in the page. Rows are as high as what is open in them. */
export function ChangeList({ changes, fresh }: Props) {
  const box = useRef<HTMLDivElement>(null)
  // Kept here: what scrolls out of sight is open when it comes back.
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set())
  const toggle = (id: number, isOpen: boolean) =>
    setOpened((old) => {
      if (old.has(id) === isOpen) return old
      return isOpen ? new Set([...old, id]) : new Set([...old].filter((other) => other !== id))
    })
  const virtual = useVirtualizer({
    count: changes.length,
    getScrollElement: () => box.current,
    estimateSize: () => 44,
    overscan: 12,
    getItemKey: (index) => changes[index]!.id,
  })
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable, so the keyboard has to get there
    <div ref={box} className={styles.box} tabIndex={0}>
      <ul style={{ height: virtual.getTotalSize() }} aria-label="Changes">
        {virtual.getVirtualItems().map(({ index, start, key }) => {
          const change = changes[index]!
          return (
            <li
              key={key}
              ref={virtual.measureElement}
              data-index={index}
              aria-posinset={index + 1}
              aria-setsize={changes.length}
              style={{ translate: `0 ${start}px` }}
            >
              {index === fresh && <h2>Earlier</h2>}
              <ChangeView
                change={change}
                isOpen={opened.has(change.id)}
                onToggle={(isOpen) => toggle(change.id, isOpen)}
              />
            </li>
          )
        })}
      </ul>
    </div>
  )
}
