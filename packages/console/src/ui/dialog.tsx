import { Dialog as Base } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { IconButton } from './button.tsx'
import styles from './dialog.module.css'

interface Props {
  readonly open: boolean
  readonly onClose: () => void
  readonly title: string
  readonly wide?: boolean
  readonly children: ReactNode
  readonly actions?: ReactNode
}

export function Dialog({ open, onClose, title, wide, children, actions }: Props) {
  return (
    <Base.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Base.Portal>
        <Base.Backdrop className={styles.backdrop} />
        <Base.Popup className={`${styles.popup} ${wide ? styles.wide : ''}`}>
          <header className={styles.header}>
            <Base.Title className={styles.title}>{title}</Base.Title>
            <IconButton label="Close" icon={X} onClick={onClose} />
          </header>
          <div className={styles.body}>{children}</div>
          {actions && <footer className={styles.footer}>{actions}</footer>}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}
