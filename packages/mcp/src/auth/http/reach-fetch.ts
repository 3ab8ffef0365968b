import { isChosenHost, parseUrl, type Reach } from '../../protocol/index.ts'

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

const original = globalThis.fetch

/** Makes requests. Names that a stranger gave must resolve to addresses within reach; a replaced `fetch` is used. */
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
