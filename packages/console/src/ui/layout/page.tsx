import { useEffect, useRef, type ReactNode } from 'react'
import styles from './page.module.css'
import { setPageTitle } from './page-title.ts'

interface Props {
  readonly title: ReactNode
  /** For the tab of the browser, when `title` is not text. */
  readonly name?: string
  readonly lead?: ReactNode
  readonly actions?: ReactNode
  /** Fills the window instead of scrolling: pages that are one big list. */
  readonly fill?: boolean
  /** As wide as the window, however wide that is. */
  readonly wide?: boolean
  readonly children: ReactNode
}

let isFirstPage = true

/** A page that was gone to gets the focus, unless something on it has taken it. The first page leaves it alone. */
function goTo(heading: HTMLElement | null): void {
  if (isFirstPage) {
    isFirstPage = false
    return
  }
  const main = document.getElementById('main')
  const isTaken = main?.contains(document.activeElement) && document.activeElement !== main
  if (!isTaken) heading?.focus({ preventScroll: true })
}

export function Page({ title, name, lead, actions, fill, wide, children }: Props) {
  const heading = name ?? (typeof title === 'string' ? title : 'Gantry')
  const headline = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    setPageTitle(heading)
    goTo(headline.current)
  }, [heading])
  return (
    <div className={`${styles.page} ${fill ? styles.fill : ''} ${wide ? styles.wide : ''}`}>
      <header className={styles.header}>
        <div className={styles.titles}>
          <h1 ref={headline} tabIndex={-1}>
            {title}
          </h1>
          {lead && <p>{lead}</p>}
        </div>
        {actions && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  )
}
