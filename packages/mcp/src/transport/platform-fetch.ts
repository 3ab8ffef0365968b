import type { FetchLike } from './http-client-options.ts'

const original = globalThis.fetch
let loaded: FetchLike | undefined

/**
 * The quickest way to make requests on this platform, loaded with the first of them. Looked up for every request,
 * so that a global `fetch` that was replaced, by instrumentation or in a test, is used.
 */
export const platformFetch: FetchLike = async (url, init) => {
  if (globalThis.fetch !== original) return globalThis.fetch(url, init)
  loaded ??= (await import('#default-fetch')).defaultFetch
  return loaded(url, init)
}
