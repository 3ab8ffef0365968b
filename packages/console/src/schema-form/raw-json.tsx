import { parseJson, writeJson } from '../api/json.ts'
import { Editor } from '../ui/editor/editor.tsx'
import { Unreadable } from './unreadable.tsx'
import { useTyped, type Spelling } from './use-typed.ts'

interface RawProps {
  readonly label: string
  /** Where the text is kept while it is no JSON. */
  readonly slot: string
  readonly value: unknown
  readonly onChange: (value: unknown) => void
}

const JSON_TEXT: Spelling = {
  write: (value) => (value === undefined ? '' : writeJson(value, undefined, 2)),
  read: (text) => (text.trim() === '' ? undefined : parseJson(text)),
}

export function RawJson({ label, slot, value, onChange }: RawProps) {
  const { text, change, problem } = useTyped(slot, value, onChange, JSON_TEXT)
  return (
    <>
      <Editor label={`${label} as JSON`} format="jsonc" value={text} onChange={change} />
      {problem !== undefined && <Unreadable text={`Not JSON yet: ${problem}`} />}
    </>
  )
}
