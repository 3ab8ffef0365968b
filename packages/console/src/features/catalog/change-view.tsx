import { useState } from 'react'
import type { CatalogChange } from '../../api/contract.ts'
import { Badge, KindBadge } from '../../ui/signs/badge.tsx'
import { DiffView } from '../../ui/text/diff-view.tsx'
import { Rich } from '../../ui/text/rich.tsx'
import { Clock } from '../../ui/text/time.tsx'
import styles from './change-view.module.css'

const TONES = { added: 'ok', removed: 'bad', changed: 'warn' } as const

interface Props {
  readonly change: CatalogChange
  readonly isOpen: boolean
  readonly onToggle?: (isOpen: boolean) => void
}

/** One difference, with its parts where there are any. */
export function ChangeView({ change, isOpen, onToggle }: Props) {
  const head = (
    <>
      <Badge tone={TONES[change.type]}>{change.type}</Badge> <KindBadge kind={change.kind} />{' '}
      <code>{change.key}</code>{' '}
      <span className={styles.muted}>
        {change.target} · <Clock at={change.at} />
      </span>
    </>
  )
  // Differences are long and many; they are made when the user looks.
  const [isShown, setShown] = useState(isOpen)
  if (change.parts.length === 0) return <p className={styles.change}>{head}</p>
  return (
    <details
      className={styles.change}
      open={isOpen}
      onToggle={({ currentTarget }) => {
        if (currentTarget.open) setShown(true)
        onToggle?.(currentTarget.open)
      }}
    >
      <summary>
        {head} <span className={styles.muted}>{change.parts.map(({ member }) => member).join(', ')}</span>
      </summary>
      {isShown &&
        change.parts.map((part) => (
          <div key={part.member} className={styles.part}>
            <h3>{part.member}</h3>
            <ul>
              {part.summary.map((line) => (
                <li key={line}>
                  <Rich text={line} />
                </li>
              ))}
            </ul>
            {part.diff.length > 0 && <DiffView hunks={part.diff} label={`Difference of ${part.member}`} />}
          </div>
        ))}
    </details>
  )
}
