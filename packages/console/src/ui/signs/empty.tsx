import type { ReactNode } from 'react'
import styles from './empty.module.css'

/** Says why there is nothing, and what to do. */
export function Empty({
  title,
  children,
  action,
}: {
  title: string
  children?: ReactNode
  action?: ReactNode
}) {
  return (
    <div className={styles.empty}>
      <h2>{title}</h2>
      {children && <p>{children}</p>}
      {action && <div>{action}</div>}
    </div>
  )
}
