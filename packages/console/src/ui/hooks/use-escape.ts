import { useEffect, useRef } from 'react'

/** Calls back when Esc is pressed, unless a dialog, a menu or an editor has taken it. */
export function useEscape(onEscape: () => void): void {
  const latest = useRef(onEscape)
  latest.current = onEscape
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isTaken =
        event.defaultPrevented || document.querySelector('dialog[open], [popover]:popover-open') !== null
      if (event.key === 'Escape' && !isTaken) latest.current()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
}
