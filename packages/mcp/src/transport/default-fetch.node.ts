import type { FetchLike } from './http-client-options.ts'
import { createNodeFetch } from './http-client-fetch.node.ts'

/** One pool of connections for all clients of the process. */
export const defaultFetch: FetchLike = createNodeFetch()
