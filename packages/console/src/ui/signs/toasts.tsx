import { X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { messageOf } from '../../api/call.ts'
import { AdminError } from '../../api/contract.ts'
import { createStore, useStore } from '../../api/store.ts'
import styles from './toasts.module.css'

interface Toast {
  readonly id: number
  readonly title: string
  readonly tone: 'ok' | 'bad'
  readonly description: string | undefined
}

const STAYS_MS = 6_000
const MOST = 3

const toasts = createStore<readonly Toast[]>([])
let last = 0

export function notify(title: string, tone: Toast['tone'] = 'ok', description?: string): void {
  last += 1
  toasts.set([{ id: last, title, tone, description }, ...toasts.get()].slice(0, MOST))
}

export function notifyError(error: unknown): void {
  notify(messageOf(error), 'bad', error instanceof AdminError ? error.problem.fix : undefined)
}

const dismiss = (id: number) => toasts.set(toasts.get().filter((toast) => toast.id !== id))

/** A popover, so that it is above dialogs too. */
export function Toasts() {
  const shown = useStore(toasts)
  const area = useRef<HTMLElement>(null)
  const newest = shown[0]?.id
  useEffect(() => {
    area.current!.hidePopover()
    if (newest !== undefined) area.current!.showPopover()
  }, [newest])
  return (
    <section
      ref={area}
      popover="manual"
      className={styles.toasts}
      aria-label="Notifications"
      aria-live="polite"
    >
      {shown.map((toast) => (
        <ToastView key={toast.id} toast={toast} />
      ))}
    </section>
  )
}

/** It stays as long as one points at it. */
function ToastView({ toast: { id, title, tone, description } }: { toast: Toast }) {
  const [isHeld, setHeld] = useState(false)
  useEffect(() => {
    if (isHeld) return
    const timer = setTimeout(() => dismiss(id), STAYS_MS)
    return () => clearTimeout(timer)
  }, [id, isHeld])
  return (
    <div
      className={`${styles.toast} ${styles[tone]}`}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
    >
      <div className={styles.text}>
        <p className={styles.title}>{title}</p>
        {description && <p>{description}</p>}
      </div>
      <button type="button" className={styles.close} aria-label="Dismiss" onClick={() => dismiss(id)}>
        <X size={14} aria-hidden />
      </button>
    </div>
  )
}
