import { ChevronDown } from 'lucide-react'
import { useId, useRef, type KeyboardEvent, type ToggleEvent } from 'react'
import styles from './menu.module.css'
import { destination } from '../lists/roving.ts'

export interface MenuItem {
  readonly title: string
  readonly onChoose: () => void
}

/** A button with a short list of actions. The browser's popover closes it on Esc and on a click elsewhere. */
export function Menu({ title, items }: { title: string; items: readonly MenuItem[] }) {
  const id = useId()
  const trigger = useRef<HTMLButtonElement>(null)
  const popup = useRef<HTMLDivElement>(null)
  const place = (event: ToggleEvent) => {
    if (event.newState !== 'open') return
    const { left, bottom } = trigger.current!.getBoundingClientRect()
    Object.assign(popup.current!.style, { left: `${left}px`, top: `${bottom + 4}px` })
  }
  const focusFirst = (event: ToggleEvent) => {
    if (event.newState === 'open') popup.current!.querySelector<HTMLElement>('[role=menuitem]')?.focus()
  }
  const move = (event: KeyboardEvent) => {
    const all = [...popup.current!.querySelectorAll<HTMLElement>('[role=menuitem]')]
    const to = destination(event.key, all.indexOf(document.activeElement as HTMLElement), all.length)
    if (to === undefined) return
    event.preventDefault()
    all[to]!.focus()
  }
  return (
    <>
      <button ref={trigger} type="button" className={styles.trigger} popoverTarget={id} aria-haspopup="menu">
        {title} <ChevronDown size={13} aria-hidden />
      </button>
      <div
        ref={popup}
        id={id}
        popover="auto"
        role="menu"
        tabIndex={-1}
        aria-label={title}
        className={styles.popup}
        onBeforeToggle={place}
        onToggle={focusFirst}
        onKeyDown={move}
      >
        {items.map((item) => (
          <button
            key={item.title}
            type="button"
            role="menuitem"
            tabIndex={-1}
            className={styles.item}
            onClick={() => {
              popup.current!.hidePopover()
              item.onChoose()
            }}
          >
            {item.title}
          </button>
        ))}
      </div>
    </>
  )
}
