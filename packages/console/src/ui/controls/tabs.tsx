import { useEffect, useId, useRef, type KeyboardEvent, type ReactNode } from 'react'
import { destination } from '../lists/roving.ts'
import styles from './tabs.module.css'

export interface Tab {
  readonly id: string
  readonly title: ReactNode
  readonly content: () => ReactNode
}

interface Props {
  readonly tabs: readonly Tab[]
  readonly value: string
  readonly onChange: (id: string) => void
  readonly label: string
}

const ALONG: Readonly<Record<string, string>> = { ArrowRight: 'ArrowDown', ArrowLeft: 'ArrowUp' }

/** One stop for Tab; arrows move between the tabs, Enter opens one. */
export function Tabs({ tabs, value, onChange, label }: Props) {
  const prefix = useId()
  const active = tabs.find(({ id }) => id === value) ?? tabs[0]
  const list = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: where there are more than fit, the chosen one is in sight
  useEffect(() => {
    const row = list.current
    const chosen = row?.querySelector('[aria-selected=true]')?.getBoundingClientRect()
    if (!row || !chosen) return
    const { left, right } = row.getBoundingClientRect()
    row.scrollLeft += Math.min(chosen.left - left, Math.max(chosen.right - right, 0))
  }, [active?.id])
  const move = (event: KeyboardEvent) => {
    const all = [...event.currentTarget.querySelectorAll<HTMLElement>('[role=tab]')]
    const from = all.indexOf(document.activeElement as HTMLElement)
    const to = destination(ALONG[event.key] ?? event.key, from, all.length)
    if (to === undefined) return
    event.preventDefault()
    all[to]!.focus()
  }
  return (
    <div>
      <div ref={list} role="tablist" className={styles.list} aria-label={label} onKeyDown={move}>
        {tabs.map(({ id, title }) => (
          <button
            key={id}
            type="button"
            role="tab"
            id={`${prefix}${id}`}
            aria-selected={id === active?.id}
            aria-controls={id === active?.id ? `${prefix}panel` : undefined}
            tabIndex={id === active?.id ? 0 : -1}
            className={styles.tab}
            onClick={() => onChange(id)}
          >
            {title}
          </button>
        ))}
      </div>
      {active && (
        <div
          key={active.id}
          role="tabpanel"
          id={`${prefix}panel`}
          aria-labelledby={`${prefix}${active.id}`}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: the pattern of tabs asks for it
          tabIndex={0}
          className={styles.panel}
        >
          {active.content()}
        </div>
      )}
    </div>
  )
}
