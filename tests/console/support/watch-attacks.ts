import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/** Looks for anything that a text of a server, client or description managed to do in a page. */
export function watchAttacks(page: Page, origin: string) {
  const foreign: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(origin) && !/^(data|blob):/.test(request.url())) foreign.push(request.url())
  })
  const dialogs: string[] = []
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message())
    void dialog.dismiss()
  })
  return {
    /** Fails when there is a trace of an attack where the page is now. */
    async expectCalm(where: string): Promise<void> {
      const found = await page.evaluate(() => ({
        attacked: (globalThis as { __attacked?: number }).__attacked,
        scripts: [...document.scripts].filter(({ src }) => !src.startsWith(location.origin)).length,
        handlers: document.querySelectorAll('[onerror],[onload],[onclick],iframe,object,embed,base').length,
        links: [...document.querySelectorAll('a')].filter(
          ({ protocol }) => !/^(https?|mailto|blob):$/.test(protocol),
        ).length,
        images: [...document.images].filter(
          ({ src }) => !src.startsWith('data:') && !src.startsWith(location.origin),
        ).length,
      }))
      const none = { attacked: undefined, scripts: 0, handlers: 0, links: 0, images: 0 }
      expect({ where, ...found, dialogs, foreign }).toEqual({ where, ...none, dialogs: [], foreign: [] })
    },
  }
}
