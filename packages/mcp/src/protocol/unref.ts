/** Lets a process end while a timer waits. Only Node keeps one alive; timers of browsers are plain numbers. */
export function unref(timer: unknown): void {
  ;(timer as { unref?: () => void } | undefined)?.unref?.()
}
