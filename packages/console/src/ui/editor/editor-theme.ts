import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

/** The colours of the page: custom properties reach into the shadow tree. */
export function editorTheme(tall: boolean): Extension {
  return [
    syntaxHighlighting(
      HighlightStyle.define([
        { tag: tags.string, color: 'var(--ok)' },
        // Behind the texts, which keys are as well.
        { tag: [tags.propertyName, tags.atom, tags.definition(tags.variableName)], color: 'var(--violet)' },
        { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: 'var(--accent)' },
        { tag: tags.comment, color: 'var(--muted)', fontStyle: 'italic' },
      ]),
    ),
    EditorView.theme({
      '&': {
        color: 'var(--text)',
        backgroundColor: 'var(--surface)',
        fontSize: '13px',
        ...(tall && { height: '100%' }),
      },
      '&.cm-focused': { outline: 'none' },
      '.cm-scroller': {
        fontFamily: 'var(--mono)',
        lineHeight: '1.55',
        overflow: 'auto',
        ...(!tall && { maxHeight: '22rem' }),
      },
      '.cm-content': { caretColor: 'var(--text)', ...(!tall && { minHeight: '4rem' }) },
      '.cm-cursor': { borderLeftColor: 'var(--text)' },
      '.cm-gutters': { backgroundColor: 'var(--surface)', color: 'var(--muted)', border: 'none' },
      '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--accent) 7%, transparent)' },
      '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground, ::selection':
        { backgroundColor: 'color-mix(in srgb, var(--accent) 28%, transparent) !important' },
      '.cm-tooltip': {
        backgroundColor: 'var(--surface)',
        color: 'var(--text)',
        border: '1px solid var(--line)',
        borderRadius: '6px',
        boxShadow: 'var(--shadow-float)',
      },
      '.cm-tooltip-autocomplete ul li[aria-selected]': {
        backgroundColor: 'var(--accent-soft)',
        color: 'var(--accent)',
      },
      '.cm-completionInfo': { maxWidth: '24rem', padding: '0.4rem 0.6rem' },
      '.cm-panels': { backgroundColor: 'var(--surface-2)', color: 'var(--text)' },
      '.cm-diagnostic-error': { borderLeftColor: 'var(--bad)' },
      '.cm-diagnostic-warning': { borderLeftColor: 'var(--warn)' },
      '.cm-textfield': { backgroundColor: 'var(--surface)', border: '1px solid var(--line-strong)' },
      '.cm-button': { background: 'var(--surface)', border: '1px solid var(--line-strong)' },
    }),
  ]
}
