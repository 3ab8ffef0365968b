import { useState } from 'react'
import { Editor } from '../ui/editor/editor.tsx'
import { Unreadable } from './unreadable.tsx'

interface RawProps {
  readonly label: string
  readonly value: unknown
  readonly onChange: (value: unknown) => void
  /** Told whether the text can be read, whenever that changes. */
  readonly onReadable?: (isReadable: boolean) => void
}

/** The text is the value's as long as it can be read; while it cannot, the value stays what it was. */
export function RawJson({ label, value, onChange, onReadable }: RawProps) {
  const [text, setText] = useState(() => stringify(value))
  const [problem, setProblem] = useState<string>()
  const [seen, setSeen] = useState(value)
  if (value !== seen) {
    setSeen(value)
    setText(stringify(value))
    setProblem(undefined)
  }
  const change = (next: string) => {
    setText(next)
    try {
      const parsed: unknown = next.trim() === '' ? undefined : JSON.parse(next)
      setProblem(undefined)
      setSeen(parsed)
      onReadable?.(true)
      onChange(parsed)
    } catch (error) {
      setProblem((error as Error).message)
      onReadable?.(false)
    }
  }
  return (
    <>
      <Editor label={`${label} as JSON`} format="jsonc" value={text} onChange={change} />
      {problem && <Unreadable text={`Not JSON yet: ${problem}`} />}
    </>
  )
}

function stringify(value: unknown): string {
  return value === undefined ? '' : JSON.stringify(value, undefined, 2)
}
