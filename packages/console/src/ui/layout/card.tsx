import type { ReactNode } from 'react'
import styles from './card.module.css'

interface Props {
  readonly title?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
  /** Without space around the content: tables and lists. */
  readonly flush?: boolean
}

export function Card({ title, actions, children, flush }: Props) {
  return (
    <section className={styles.card}>
      {(title || actions) && (
        <header className={styles.header}>
          <h2>{title}</h2>
          {actions && <div className={styles.actions}>{actions}</div>}
        </header>
      )}
      <div className={flush ? styles.flush : styles.body}>{children}</div>
    </section>
  )
}
