import { useEffect, useId, useRef, type KeyboardEvent } from 'react'
import { CodeLines } from './code-lines.tsx'
import { write, type CompletionSource } from './completion.ts'
import { CompletionList } from './completion-list.tsx'
import styles from './editor.module.css'
import type { EditorProblem, Format } from './tokens.ts'
import { useCompletion } from './use-completion.ts'

interface Props {
  readonly label: string
  readonly value: string
  readonly onChange?: ((value: string) => void) | undefined
  readonly format: Format
  readonly problems?: readonly EditorProblem[]
  readonly completions?: CompletionSource
  /** A line to show, counted from 1. */
  readonly line?: number | undefined
  readonly tall?: boolean
}

const NOTHING: readonly EditorProblem[] = []
/** In characters. Longer texts have no colours: drawing them would take longer than typing. */
const MOST_COLOURED = 200_000

/**
 * The browser's own text field, with see-through letters over the same text in colours: it has the undo, the
 * spelling of keys and the voice of every other field, for a twentieth of what an editor would have to be loaded.
 */
export function Editor(props: Props) {
  const { label, value, onChange, format, problems = NOTHING, completions, line, tall = false } = props
  const id = useId()
  const field = useRef<HTMLTextAreaElement>(null)
  const lines = useRef<HTMLPreElement>(null)
  const isPlain = value.length > MOST_COLOURED
  const { offer, look, choose, close, onKeyDown } = useCompletion(field, lines, completions)

  useEffect(() => {
    const row = line === undefined ? undefined : lines.current?.children[line - 1]
    if (!row || line === undefined) return
    const start = field.current!.value.split('\n', line - 1).join('\n').length + (line > 1 ? 1 : 0)
    field.current!.setSelectionRange(start, start)
    row.scrollIntoView({ block: 'center' })
  }, [line])

  const press = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    onKeyDown(event)
    const isPlainEnter = event.key === 'Enter' && !event.ctrlKey && !event.metaKey && !event.shiftKey
    if (!isPlainEnter || event.defaultPrevented || event.nativeEvent.isComposing || !onChange) return
    event.preventDefault()
    const { selectionStart, selectionEnd } = event.currentTarget
    write(event.currentTarget, selectionStart, selectionEnd, `\n${indentAt(value, selectionStart)}`)
  }

  return (
    <div className={tall ? styles.tall : styles.editor}>
      <div className={styles.sheet} data-plain={isPlain || undefined}>
        {!isPlain && (
          <CodeLines ref={lines} text={value} format={format} problems={problems} current={line} />
        )}
        <textarea
          ref={field}
          className={styles.text}
          aria-label={label}
          aria-invalid={problems.some(({ severity }) => severity === 'error') || undefined}
          aria-controls={offer && id}
          aria-activedescendant={offer && `${id}-${offer.active}`}
          value={value}
          readOnly={onChange === undefined}
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
          onChange={(event) => {
            onChange?.(event.target.value)
            requestAnimationFrame(() => field.current && look(false))
          }}
          onKeyDown={press}
          onClick={close}
          onBlur={close}
        />
      </div>
      {offer && <CompletionList id={id} offer={offer} onChoose={choose} />}
    </div>
  )
}

/** A new line begins as the one before it does. */
function indentAt(text: string, at: number): string {
  const start = text.lastIndexOf('\n', at - 1) + 1
  return /^[ \t]*/.exec(text.slice(start, at))![0]
}
