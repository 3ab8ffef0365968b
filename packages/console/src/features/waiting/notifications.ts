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

/** Only while the console is not in sight; a click brings it back. */
export function notifyAway(text: string, tag: string, onClick: () => void): void {
  if (permission.get() !== 'granted' || document.visibilityState === 'visible') return
  const notification = new Notification('Gantry: an answer is needed', { body: text, tag })
  notification.onclick = () => {
    window.focus()
    notification.close()
    onClick()
  }
}
