import { lazyRouteComponent } from '@tanstack/react-router'

/** A page's script could not be loaded. */
export class PageUnavailable extends Error {
  override readonly name = 'PageUnavailable'
}

/**
 * A page that is loaded when the user goes there. The router would load the whole console again when that
 * fails, and while the gateway is away nothing would be left of it but the browser's own error.
 */
export function lazyPage<Module extends Record<string, unknown>, Name extends keyof Module & string>(
  load: () => Promise<Module>,
  name: Name,
) {
  const loadOrSay = () =>
    load().catch((cause: unknown) => {
      throw new PageUnavailable('This page could not be loaded', { cause })
    })
  return lazyRouteComponent(loadOrSay as () => Promise<Record<string, never>>, name)
}
