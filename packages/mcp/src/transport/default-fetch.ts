import type { FetchLike } from './http-client-options.ts'

/** What requests are made with where there is nothing better. */
export const defaultFetch: FetchLike = (url, init) => globalThis.fetch(url, init)
