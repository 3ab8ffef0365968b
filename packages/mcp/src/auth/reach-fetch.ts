import { isChosenHost, parseUrl, type Reach } from '../protocol/index.ts'

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

const original = globalThis.fetch

/**
 * Makes requests on this platform. Hosts that the user chose may be at any address; where Node looks up a name that
 * a stranger gave, the address has to be within reach. A global `fetch` that was replaced is used as it is.
 */
export function reachFetch(reach: Reach): Fetch {
  let guarded: Fetch | undefined
  return async (url, init) => {
    if (globalThis.fetch !== original) return globalThis.fetch(url, init)
    const { createReachFetch, defaultFetch } = await import('#default-fetch')
    guarded ??= createReachFetch(reach)
    const body = init.body instanceof URLSearchParams ? String(init.body) : (init.body ?? null)
    const parsed = parseUrl(url)
    return (parsed && isChosenHost(parsed, reach) ? defaultFetch : guarded)(url, { ...init, body })
  }
}
