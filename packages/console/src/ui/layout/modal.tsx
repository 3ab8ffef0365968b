import { useLayoutEffect, useRef, type MouseEvent, type ReactNode } from 'react'

interface Props {
  readonly onClose: (() => void) | undefined
  readonly className: string | undefined
  readonly label: string
  readonly children: ReactNode
}

/**
 * The browser's own modal dialog: it keeps the focus inside, gives it back afterwards and closes on Esc. It is open
 * as long as it is on the page.
 */
export function Modal({ onClose, className, label, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const element = dialog.current!
    element.showModal()
    return () => element.close()
  }, [])
  const closeFromOutside = (event: MouseEvent<HTMLDialogElement>) => {
    if (event.target !== event.currentTarget) return
    const { left, right, top, bottom } = event.currentTarget.getBoundingClientRect()
    const isInside =
      event.clientX >= left && event.clientX <= right && event.clientY >= top && event.clientY <= bottom
    if (!isInside) onClose?.()
  }
  return (
    <dialog
      ref={dialog}
      className={className}
      aria-label={label}
      // The page decides when it is closed, and not only how it looks.
      onCancel={(event) => {
        event.preventDefault()
        onClose?.()
      }}
      onMouseDown={closeFromOutside}
    >
      {children}
    </dialog>
  )
}
