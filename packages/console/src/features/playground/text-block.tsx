import { Download } from 'lucide-react'
import { useMemo, useState } from 'react'
import { IconButton } from '../../ui/controls/button.tsx'
import { CopyButton } from '../../ui/controls/copy.tsx'
import { Check, Select } from '../../ui/controls/fields.tsx'
import { Markdown } from '../../ui/text/lazy-markdown.tsx'
import { LongText } from '../../ui/text/long-text.tsx'
import { saveFile } from '../../ui/text/save-file.ts'
import { Data } from './data-view.tsx'
import styles from './text-block.module.css'
import { readJson } from '../../api/json.ts'

/** The renderer of Markdown takes a second for this much. */
const MOST_MARKDOWN = 100_000

/** A text of a server, as it was written. JSON is shown as a tree first, and Markdown only if the server calls it so. */
export function TextBlock({ text, mimeType = '' }: { text: string; mimeType?: string }) {
  const parsed = useMemo(() => (/^\s*[[{]/.test(text) ? readJson(text)?.value : undefined), [text])
  const canBeMarkdown = text.length <= MOST_MARKDOWN
  const isMarkdown = canBeMarkdown && /\bmarkdown\b/i.test(mimeType)
  const [form, setForm] = useState(() => {
    if (parsed !== undefined) return 'data'
    return isMarkdown ? 'markdown' : 'text'
  })
  const [wrap, setWrap] = useState(true)
  return (
    <div className={styles.block}>
      <div className={styles.bar}>
        {form === 'text' && <Check label="Wrap lines" checked={wrap} onChange={setWrap} />}
        <Select
          label="Shown as"
          value={form}
          onChange={setForm}
          options={[
            ['text', 'Text'],
            ...(parsed === undefined ? [] : [['data', 'JSON'] as const]),
            ...(canBeMarkdown ? [['markdown', 'Markdown'] as const] : []),
          ]}
        />
        <CopyButton text={text} label="Copy the text" compact />
        <IconButton
          label="Download the text"
          icon={Download}
          onClick={() => saveFile(text, parsed === undefined ? 'result.txt' : 'result.json')}
        />
      </div>
      {form === 'data' && <Data value={parsed} />}
      {form === 'markdown' && <Markdown text={text} />}
      {form === 'text' && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable, so the keyboard has to get there
        <section className={styles.text} tabIndex={0} aria-label="Text">
          <LongText text={text} wrap={wrap} />
        </section>
      )}
    </div>
  )
}
