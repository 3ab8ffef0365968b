import type { Reach } from '../../../protocol/index.ts'
import type { FetchLike } from './quick-fetch.ts'

/** The `fetch` that is used when the user gives none. */
export const defaultFetch: FetchLike = (url, init) => globalThis.fetch(url, init)

/** Platforms without a lookup of their own: where names lead to is up to them. */
export const createReachFetch = (_: Reach): FetchLike => defaultFetch
