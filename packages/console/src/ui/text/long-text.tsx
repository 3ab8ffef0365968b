import { useState } from 'react'
import { Button } from '../controls/button.tsx'
import { formatBytes } from './format.ts'
import styles from './long-text.module.css'

/** How many characters are laid out at once. Browsers take seconds for a megabyte. */
const STEP = 100_000
const SHORT = 2_000

/** Text as it was written. What is long is shown in steps. */
export function LongText({ text, wrap = true }: { text: string; wrap?: boolean }) {
  const [shown, setShown] = useState(STEP)
  const parts = partsOf(text, shown)
  return (
    <>
      <pre className={`${styles.text} ${wrap ? styles.wrap : ''}`}>
        {parts.map((part, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text have no other name
          <code key={index}>{part}</code>
        ))}
      </pre>
      {text.length > shown && (
        <p className={styles.more}>
          {`The first ${formatBytes(shown)} of ${formatBytes(text.length)} are shown.`}
          <Button onClick={() => setShown(shown + STEP)}>Show more</Button>
        </p>
      )}
    </>
  )
}

/** One part for each step, so that what is shown already is not laid out again. */
function partsOf(text: string, shown: number): string[] {
  const parts: string[] = []
  for (let at = 0; at < Math.min(shown, text.length); at += STEP) parts.push(text.slice(at, at + STEP))
  return parts
}

/** A text within a line, cut when it is long. */
export function ShortText({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(false)
  if (text.length <= SHORT) return text
  if (isWhole) return <LongText text={text} />
  return (
    <>
      {text.slice(0, SHORT)}…{' '}
      <button type="button" className={styles.rest} onClick={() => setWhole(true)}>
        {formatBytes(text.length - SHORT)} more
      </button>
    </>
  )
}
