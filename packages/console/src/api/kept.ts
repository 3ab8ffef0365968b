import { useState } from 'react'

const PREFIX = 'gantry.kept.'
/** Browsers give a page about five megabytes in all. */
const MOST = 500_000

/** What was typed and not sent yet. It outlives leaving the page and loading it again, in this tab. */
export function readKept(key: string): unknown {
  try {
    const text = sessionStorage.getItem(PREFIX + key)
    return text === null ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

/** `undefined` forgets it. */
export function keep(key: string, value: unknown): void {
  const text = value === undefined ? undefined : JSON.stringify(value)
  try {
    if (text === undefined || text.length > MOST) sessionStorage.removeItem(PREFIX + key)
    else sessionStorage.setItem(PREFIX + key, text)
  } catch {
    // The storage is full or switched off: it lives as long as the page, then.
  }
}

/** A state that is kept until `keep` forgets it. */
export function useKept<T>(key: string, initial: () => T): readonly [value: T, set: (value: T) => void] {
  const [value, setValue] = useState<T>(() => (readKept(key) as T | undefined) ?? initial())
  const set = (next: T) => {
    keep(key, next)
    setValue(next)
  }
  return [value, set]
}
