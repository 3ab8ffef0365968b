import { useEffect, type ReactNode } from 'react'
import styles from './page.module.css'

interface Props {
  readonly title: ReactNode
  /** For the tab of the browser, when `title` is not text. */
  readonly name?: string
  readonly lead?: ReactNode
  readonly actions?: ReactNode
  /** Fills the window instead of scrolling: pages that are one big list. */
  readonly fill?: boolean
  readonly children: ReactNode
}

export function Page({ title, name, lead, actions, fill, children }: Props) {
  const heading = name ?? (typeof title === 'string' ? title : 'Gantry')
  useEffect(() => {
    document.title = `${heading} · Gantry`
  }, [heading])
  return (
    <div className={`${styles.page} ${fill ? styles.fill : ''}`}>
      <header className={styles.header}>
        <div className={styles.titles}>
          <h1>{title}</h1>
          {lead && <p>{lead}</p>}
        </div>
        {actions && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  )
}
