import type { DiffHunk, DiffLine } from '../../api/contract.ts'
import styles from './diff-view.module.css'

const SIGNS = { same: ' ', added: '+', removed: '-' }

export function DiffView({ hunks, label }: { hunks: readonly DiffHunk[]; label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable, so the keyboard has to get there
    <section className={styles.diff} tabIndex={0}>
      <table>
        <caption className="visually-hidden">{label}</caption>
        <tbody>
          {hunks.map((hunk, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: hunks have no other name
            <Hunk key={index} lines={hunk.lines} isFirst={index === 0} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Hunk({ lines, isFirst }: { lines: readonly DiffLine[]; isFirst: boolean }) {
  return (
    <>
      {!isFirst && (
        <tr className={styles.gap}>
          <td colSpan={3}>⋯</td>
        </tr>
      )}
      {lines.map((line) => (
        <tr key={`${line.type}${line.before ?? ''}-${line.after ?? ''}`} className={styles[line.type]}>
          <td className={styles.number}>{line.after ?? line.before}</td>
          <td className={styles.sign}>{SIGNS[line.type]}</td>
          <td className={styles.text}>{line.text}</td>
        </tr>
      ))}
    </>
  )
}
