import type { KeyboardEvent } from 'react'

/** Ctrl+Enter or ⌘+Enter sends a form from any of its fields. */
export function submitByKeys(event: KeyboardEvent<HTMLFormElement>): void {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
  event.preventDefault()
  event.currentTarget.requestSubmit()
}
