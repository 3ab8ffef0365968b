import { CopyButton } from '../controls/copy.tsx'
import { LongText } from './long-text.tsx'
import styles from './code.module.css'

/** Text as it is, with a button that copies it. */
export function Code({ text, label, wrap = false }: { text: string; label: string; wrap?: boolean }) {
  return (
    <div className={styles.code}>
      {/* Scrollable, so the keyboard has to get there. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above */}
      <section tabIndex={0} aria-label={label}>
        <LongText text={text} wrap={wrap} />
      </section>
      <div className={styles.copy}>
        <CopyButton text={text} label={`Copy ${label}`} compact />
      </div>
    </div>
  )
}
