import type { ReactNode } from 'react'
import styles from './bar.module.css'

/** The controls above a list or a form. */
export function Bar({ children }: { children: ReactNode }) {
  return <div className={styles.bar}>{children}</div>
}

/** How much of a list is shown; told to screen readers when it changes. */
export function Count({ children }: { children: ReactNode }) {
  return (
    <span className={styles.count} role="status">
      {children}
    </span>
  )
}

/** What a page that fills the window leaves to its table. */
export function Rest({ children }: { children: ReactNode }) {
  return <div className={styles.rest}>{children}</div>
}
