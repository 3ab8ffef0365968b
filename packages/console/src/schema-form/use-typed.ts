import { useEffect, useState } from 'react'
import { writeJson } from '../api/json.ts'
import { keep, readKept } from '../api/kept.ts'

/** How a value is typed. `read` throws when the text stands for no value. */
export interface Spelling {
  write(value: unknown): string
  read(text: string): unknown
}

export interface Typed {
  readonly text: string
  readonly change: (text: string) => void
  /** Why the text cannot be read. */
  readonly problem: string | undefined
}

/**
 * The text of a value while it is typed. While it cannot be read, the value stays what it was, and the text is kept
 * in `slot` until it can.
 */
export function useTyped(
  slot: string,
  value: unknown,
  onChange: (value: unknown) => void,
  { write, read }: Spelling,
): Typed {
  const [text, setText] = useState(() => keptText(slot, value) ?? write(value))
  const [seen, setSeen] = useState(value)
  if (value !== seen) {
    setSeen(value)
    setText(write(value))
  }
  const { problem } = attempt(read, text)
  useEffect(() => {
    keep(slot, problem === undefined ? undefined : { text, of: nameOf(value) })
  }, [slot, text, problem, value])
  const change = (next: string) => {
    setText(next)
    const found = attempt(read, next)
    if (found.problem !== undefined) return
    setSeen(found.value)
    onChange(found.value)
  }
  return { text, change, problem }
}

function attempt(read: Spelling['read'], text: string): { value?: unknown; problem?: string } {
  try {
    return { value: read(text) }
  } catch (error) {
    return { problem: (error as Error).message }
  }
}

/** What was typed over this value, and over no other. */
function keptText(slot: string, value: unknown): string | undefined {
  const kept = readKept(slot) as { text: string; of: string } | undefined
  return kept?.of === nameOf(value) ? kept.text : undefined
}

function nameOf(value: unknown): string {
  return writeJson(value) ?? ''
}
