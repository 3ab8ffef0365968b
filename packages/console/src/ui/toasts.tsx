import { Toast } from '@base-ui/react/toast'
import { X } from 'lucide-react'
import { messageOf } from '../api/call.ts'
import { AdminError } from '../api/contract.ts'
import styles from './toasts.module.css'

export const toasts = Toast.createToastManager()

export function notify(title: string, type: 'ok' | 'bad' = 'ok', description?: string): void {
  toasts.add({ title, type, ...(description !== undefined && { description }) })
}

export function notifyError(error: unknown): void {
  notify(messageOf(error), 'bad', error instanceof AdminError ? error.problem.fix : undefined)
}

export function Toasts() {
  const { toasts: shown } = Toast.useToastManager()
  return (
    <Toast.Portal>
      <Toast.Viewport className={styles.viewport} aria-label="Notifications">
        {shown.map((toast) => (
          <Toast.Root
            key={toast.id}
            toast={toast}
            className={`${styles.toast} ${styles[toast.type ?? 'ok']}`}
          >
            <div className={styles.text}>
              <Toast.Title className={styles.title} />
              <Toast.Description />
            </div>
            <Toast.Close className={styles.close} aria-label="Dismiss">
              <X size={14} aria-hidden />
            </Toast.Close>
          </Toast.Root>
        ))}
      </Toast.Viewport>
    </Toast.Portal>
  )
}
