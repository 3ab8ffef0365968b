import { CopyButton } from './copy.tsx'
import styles from './code.module.css'

/** Text as it is, with a button that copies it. */
export function Code({ text, label, wrap = false }: { text: string; label: string; wrap?: boolean }) {
  return (
    <div className={styles.code}>
      {/* Scrollable, so the keyboard has to get there. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above */}
      <section tabIndex={0} aria-label={label}>
        <pre className={wrap ? styles.wrap : undefined}>
          <code>{text}</code>
        </pre>
      </section>
      <div className={styles.copy}>
        <CopyButton text={text} label={`Copy ${label}`} compact />
      </div>
    </div>
  )
}
