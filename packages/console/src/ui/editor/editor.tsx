import {
  autocompletion,
  closeBrackets,
  completionKeymap,
  type CompletionSource,
} from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { bracketMatching, StreamLanguage } from '@codemirror/language'
import { json } from '@codemirror/legacy-modes/mode/javascript'
import { yaml } from '@codemirror/legacy-modes/mode/yaml'
import { lintGutter, lintKeymap, setDiagnostics, type Diagnostic } from '@codemirror/lint'
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search'
import { Annotation, EditorState } from '@codemirror/state'
import { EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { useEffect, useRef } from 'react'
import styles from './editor.module.css'
import { editorTheme } from './editor-theme.ts'

export interface EditorProblem {
  readonly severity: 'error' | 'warning'
  readonly message: string
  /** Counted from 1. */
  readonly line: number
  readonly column: number
  readonly length: number
}

export interface EditorProps {
  readonly label: string
  readonly value: string
  readonly onChange?: ((value: string) => void) | undefined
  readonly format: 'jsonc' | 'yaml'
  readonly problems?: readonly EditorProblem[]
  readonly completions?: CompletionSource
  /** A line to show, counted from 1. */
  readonly line?: number | undefined
  readonly tall?: boolean
}

const LANGUAGES = {
  yaml: StreamLanguage.define(yaml),
  jsonc: StreamLanguage.define({ ...json, tokenTable: { property: tags.propertyName } }),
}

const NOTHING: readonly EditorProblem[] = []
/** Marks changes that come from `value`, which are no news to its owner. */
const external = Annotation.define<boolean>()

/**
 * CodeMirror in a shadow tree: there it brings its styles as constructed sheets, which a strict
 * Content-Security-Policy allows, instead of as <style> elements, which it does not.
 */
export default function Editor(props: EditorProps) {
  const { label, value, format, problems = NOTHING, line, tall = false } = props
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  const latest = useRef(props)
  latest.current = props
  const readOnly = props.onChange === undefined

  useEffect(() => {
    const root = host.current!.shadowRoot ?? host.current!.attachShadow({ mode: 'open' })
    const editor = new EditorView({
      root,
      parent: root,
      doc: latest.current.value,
      extensions: [
        lineNumbers(),
        history(),
        bracketMatching(),
        closeBrackets(),
        highlightActiveLine(),
        highlightSelectionMatches(),
        search({ top: true }),
        lintGutter(),
        LANGUAGES[format],
        autocompletion({ override: [(context) => latest.current.completions?.(context) ?? null] }),
        keymap.of([...completionKeymap, ...searchKeymap, ...historyKeymap, ...lintKeymap, ...defaultKeymap]),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false', tabindex: '0' }),
        EditorState.readOnly.of(readOnly),
        EditorState.tabSize.of(2),
        EditorView.updateListener.of((update) => {
          const isOurs = update.transactions.some((transaction) => transaction.annotation(external))
          if (update.docChanged && !isOurs) latest.current.onChange?.(update.state.doc.toString())
        }),
        editorTheme(tall),
      ],
    })
    view.current = editor
    return () => editor.destroy()
  }, [format, label, readOnly, tall])

  useEffect(() => {
    const editor = view.current!
    if (editor.state.doc.toString() === value) return
    const changes = { from: 0, to: editor.state.doc.length, insert: value }
    editor.dispatch({ changes, annotations: external.of(true) })
  }, [value])

  useEffect(() => {
    const editor = view.current!
    editor.dispatch(
      setDiagnostics(
        editor.state,
        problems.map((problem) => toDiagnostic(problem, editor.state)),
      ),
    )
  }, [problems])

  useEffect(() => {
    const editor = view.current!
    if (line === undefined || !(line >= 1) || line > editor.state.doc.lines) return
    const { from } = editor.state.doc.line(line)
    editor.dispatch({
      selection: { anchor: from },
      effects: EditorView.scrollIntoView(from, { y: 'center' }),
    })
  }, [line])

  return <div ref={host} className={tall ? styles.tall : styles.editor} />
}

function toDiagnostic(problem: EditorProblem, { doc }: EditorState): Diagnostic {
  const line = doc.line(Math.min(Math.max(problem.line, 1), doc.lines))
  const from = Math.min(line.from + Math.max(problem.column - 1, 0), line.to)
  const to = Math.min(from + Math.max(problem.length, 1), doc.length)
  return { from, to: Math.max(from, to), severity: problem.severity, message: problem.message }
}
