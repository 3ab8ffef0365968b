import type { Reach } from '../../../protocol/index.ts'
import type { FetchLike } from './quick-fetch.ts'
import { createNodeFetch } from './fetch.node.ts'
import { reachLookup } from './reach-lookup.node.ts'

/** One pool of connections for all clients of the process. */
export const defaultFetch: FetchLike = createNodeFetch()

/** For addresses that a stranger named. Its connections are its own, so each of them was checked. */
export const createReachFetch = (reach: Reach): FetchLike => createNodeFetch({ lookup: reachLookup(reach) })
