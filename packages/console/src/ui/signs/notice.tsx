import type { ReactNode } from 'react'
import { messageOf } from '../../api/call.ts'
import { AdminError, type Explanation } from '../../api/contract.ts'
import { Rich } from '../text/rich.tsx'
import styles from './notice.module.css'

interface Props {
  readonly tone: 'bad' | 'warn' | 'ok' | 'accent'
  readonly title: ReactNode
  readonly children?: ReactNode
  /** At the top of the page, from edge to edge. */
  readonly flush?: boolean
}

export function Notice({ tone, title, children, flush }: Props) {
  return (
    <div
      role={tone === 'bad' ? 'alert' : 'status'}
      className={`${styles.notice} ${styles[tone]} ${flush ? styles.flush : ''}`}
    >
      <strong>{title}</strong>
      {children && <div>{children}</div>}
    </div>
  )
}

/** What happened, what it means and what to do. */
export function Explain({
  problem,
  tone = 'bad',
}: {
  problem: Explanation
  tone?: 'bad' | 'warn' | 'accent'
}) {
  return (
    <Notice tone={tone} title={<Rich text={problem.what} />}>
      {problem.meaning && (
        <p>
          <Rich text={problem.meaning} />
        </p>
      )}
      {problem.fix && (
        <p>
          <b>Fix:</b> <Rich text={problem.fix} />
        </p>
      )}
    </Notice>
  )
}

export function Failure({ error }: { error: unknown }) {
  const fix = error instanceof AdminError ? error.problem.fix : undefined
  return (
    <Notice tone="bad" title={messageOf(error)}>
      {fix && <Rich text={fix} />}
    </Notice>
  )
}
