import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { IconButton } from '../controls/button.tsx'
import styles from './dialog.module.css'
import { Modal } from './modal.tsx'

interface Props {
  readonly open: boolean
  /** Absent: it goes only by what is in it, as it shows something that cannot be had again. */
  readonly onClose?: () => void
  readonly title: string
  readonly wide?: boolean
  readonly children: ReactNode
  readonly actions?: ReactNode
}

export function Dialog({ open, onClose, title, wide, children, actions }: Props) {
  if (!open) return null
  return (
    <Modal onClose={onClose} label={title} className={`${styles.popup} ${wide ? styles.wide : ''}`}>
      <header className={styles.header}>
        <h2 className={styles.title}>{title}</h2>
        {onClose && <IconButton label="Close" icon={X} onClick={onClose} />}
      </header>
      <div className={styles.body}>{children}</div>
      {actions && <footer className={styles.footer}>{actions}</footer>}
    </Modal>
  )
}
