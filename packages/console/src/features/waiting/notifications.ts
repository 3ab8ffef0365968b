import { createStore, type Store } from '../../api/store.ts'

type Permission = NotificationPermission | 'unsupported'

/** Whether this browser lets the console tell what happens while nobody looks at it. */
export const permission: Store<Permission> = createStore<Permission>(
  'Notification' in window ? Notification.permission : 'unsupported',
)

/** Browsers want a click before they ask. */
export async function askForPermission(): Promise<void> {
  if (permission.get() === 'unsupported') return
  permission.set(await Notification.requestPermission())
}

interface Message {
  readonly title: string
  readonly text: string
  /** Two messages with the same tag are one. */
  readonly tag: string
  readonly onClick: () => void
}

/** Only while the console is not in sight; a click brings it back. */
export function notifyAway({ title, text, tag, onClick }: Message): void {
  if (permission.get() !== 'granted' || document.visibilityState === 'visible') return
  const notification = new Notification(title, { body: text, tag })
  notification.onclick = () => {
    window.focus()
    notification.close()
    onClick()
  }
}
