import type { LogLine } from '../../api/contract.ts'
import { Badge, type Tone } from '../../ui/signs/badge.tsx'
import { ShortText } from '../../ui/text/long-text.tsx'
import { Clock } from '../../ui/text/time.tsx'
import styles from './log-lines.module.css'

const TONES: Record<LogLine['level'], Tone> = { info: 'plain', warn: 'warn', error: 'bad' }

export function LevelBadge({ level }: Pick<LogLine, 'level'>) {
  return <Badge tone={TONES[level]}>{level}</Badge>
}

export function LineText({ line: { message, detail } }: { line: LogLine }) {
  return (
    <span className={styles.message}>
      <ShortText text={message} />
      {detail !== undefined && (
        <span className={styles.detail}>
          {' '}
          <ShortText text={detail} />
        </span>
      )}
    </span>
  )
}

/** The last lines of the log about one target, newest first. */
export function LogLines({ lines }: { lines: readonly LogLine[] }) {
  return (
    <ul className={styles.lines} aria-label="Events">
      {lines.map((line) => (
        <li key={line.seq}>
          <Clock at={line.at} />
          <LevelBadge level={line.level} />
          <LineText line={line} />
        </li>
      ))}
    </ul>
  )
}
