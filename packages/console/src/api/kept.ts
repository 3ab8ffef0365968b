import { useState } from 'react'
import { parseJson, writeJson } from './json.ts'

const PREFIX = 'gantry.kept.'
/** Browsers give a page about five megabytes in all. */
const MOST = 500_000

/** What was typed and not sent yet. It outlives leaving the page and loading it again, in this tab. */
export function readKept(key: string): unknown {
  try {
    const text = sessionStorage.getItem(PREFIX + key)
    return text === null ? undefined : parseJson(text)
  } catch {
    return undefined
  }
}

/** `undefined` keeps nothing. */
export function keep(key: string, value: unknown): void {
  const text = value === undefined ? undefined : writeJson(value)
  try {
    if (text === undefined || text.length > MOST) sessionStorage.removeItem(PREFIX + key)
    else sessionStorage.setItem(PREFIX + key, text)
  } catch {
    // The storage is full or switched off: it lives as long as the page, then.
  }
}

/** Forgets what is kept by a name, and by longer ones that begin with it and a slash. */
export function forget(key: string): void {
  try {
    for (const name of Object.keys(sessionStorage)) {
      if (`${name}/`.startsWith(`${PREFIX}${key}/`)) sessionStorage.removeItem(name)
    }
  } catch {
    // The storage is switched off.
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

/** What was typed, and what was saved when that began; without a base, what is saved now. */
interface Edit<T> {
  readonly base?: T
  readonly value: T
}

export interface Edited<T> {
  readonly value: T
  readonly set: (value: T) => void
  /** Something was typed that is not saved. */
  readonly isChanged: boolean
  /** The saved value has been changed elsewhere since then. */
  readonly isBehind: boolean
  /** Goes on with what was typed, over what is saved now. */
  readonly goOn: () => void
  /** Forgets what was typed: it is not wanted any more. */
  readonly forget: () => void
  /** This was saved, and is shown. What was typed since then stays, over that. */
  readonly forgetSaved: (sent: T) => void
}

/** Shows what is saved until something is typed. That is kept until `forget` is called. Values are plain JSON. */
export function useEdited<T>(key: string, saved: T): Edited<T> {
  const [edit, setEdit] = useState(() => readKept(key) as Edit<T> | undefined)
  const isChanged = edit !== undefined && !isSame(edit.value, saved)
  const change = (next: Edit<T> | undefined) => {
    keep(key, next)
    setEdit(next)
  }
  return {
    value: isChanged ? edit.value : saved,
    set: (value) =>
      change(
        isSame(value, saved) ? undefined : { base: (isChanged ? edit.base : undefined) ?? saved, value },
      ),
    isChanged,
    isBehind: isChanged && edit.base !== undefined && !isSame(edit.base, saved),
    goOn: () => isChanged && change({ base: saved, value: edit.value }),
    forget: () => change(undefined),
    forgetSaved: (sent) =>
      setEdit((now) => {
        const typed = now === undefined || isSame(now.value, sent) ? undefined : { value: now.value }
        keep(key, typed)
        return typed
      }),
  }
}

function isSame(one: unknown, other: unknown): boolean {
  return writeJson(one) === writeJson(other)
}
