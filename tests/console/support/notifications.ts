import type { Page } from 'playwright-core'

/** Chromium without a desktop shows no notifications: the page gets a class that remembers them. */
export async function watchNotifications(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const shown: string[] = []
    let permission = sessionStorage.getItem('notifications') ?? 'default'
    class Remembered {
      static get permission() {
        return permission
      }
      static requestPermission() {
        permission = 'granted'
        sessionStorage.setItem('notifications', permission)
        return Promise.resolve(permission)
      }
      constructor(title: string, { body }: { body: string }) {
        shown.push(`${title}: ${body}`)
      }
      close() {}
    }
    Object.assign(globalThis, { shown })
    Object.defineProperty(globalThis, 'Notification', { value: Remembered })
  })
}

export function shownNotifications(page: Page): Promise<string[]> {
  return page.evaluate(() => (globalThis as unknown as { shown: string[] }).shown)
}
