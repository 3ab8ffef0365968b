import { useLayoutEffect, useRef } from 'react'
import { Rich } from '../text/rich.tsx'
import type { Completion } from './completion.ts'
import styles from './editor.module.css'
import type { Offer } from './use-completion.ts'

interface Props {
  readonly id: string
  readonly offer: Offer
  readonly onChoose: (option: Completion) => void
}

/** Under the word that it completes, above everything else. The field keeps the focus. */
export function CompletionList({ id, offer: { options, active, rect }, onChoose }: Props) {
  const list = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    list.current!.showPopover()
    const { style, offsetHeight, offsetWidth } = list.current!
    const isBelow = rect.bottom + offsetHeight + 8 < innerHeight
    style.left = `${Math.max(Math.min(rect.left, innerWidth - offsetWidth - 8), 8)}px`
    style.top = `${isBelow ? rect.bottom + 4 : Math.max(rect.top - offsetHeight - 4, 8)}px`
  }, [rect])
  useLayoutEffect(() => {
    list.current!.children[active]?.scrollIntoView({ block: 'nearest' })
  }, [active])
  return (
    <div
      ref={list}
      id={id}
      popover="manual"
      role="listbox"
      aria-label="Completions"
      className={styles.offers}
    >
      {options.map((option, index) => (
        // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus and names the active option
        <div
          key={option.label}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === active}
          className={styles.offer}
          onPointerDown={(event) => {
            event.preventDefault()
            onChoose(option)
          }}
        >
          <code>{option.label}</code> <span>{option.detail}</span>
          {index === active && option.info && (
            <p>
              <Rich text={option.info} />
            </p>
          )}
        </div>
      ))}
    </div>
  )
}
