import { isQuick, quickFetch, type FetchLike, type QuickInit } from './quick-fetch.ts'

const original = globalThis.fetch
let loaded: FetchLike | undefined

/** The platform's quickest fetch, looked up for every request so that a replaced global is used. */
export const platformFetch: FetchLike = /* @__PURE__ */ quickFetch((url, init) => {
  if (globalThis.fetch !== original) return globalThis.fetch(url, withSignal(init))
  return loaded ? send(loaded, url, init) : load().then((fetch) => send(fetch, url, init))
})

async function load(): Promise<FetchLike> {
  loaded ??= (await import('#default-fetch')).defaultFetch
  return loaded
}

function send(fetch: FetchLike, url: string, init: QuickInit): Promise<Response> {
  return fetch(url, isQuick(fetch) ? init : withSignal(init))
}

function withSignal({ cancellation, ...init }: QuickInit): RequestInit {
  return cancellation ? { ...init, signal: cancellation.signal } : init
}
