import { type Reach, isWithinReach, OutOfReach } from '../../../protocol/index.ts'
import type { FetchLike } from './quick-fetch.ts'
import { createNodeFetch } from './fetch.node.ts'
import type { LookupFunction } from 'node:net'

/** One pool of connections for all clients of the process. */
export const defaultFetch: FetchLike = createNodeFetch()

/** For addresses that a stranger named. Its connections are its own, so each of them was checked. */
export const createReachFetch = (reach: Reach): FetchLike => createNodeFetch({ lookup: reachLookup(reach) })

import dns, { type LookupAddress } from 'node:dns'

/** Refuses names that lead out of reach, at connect time, so that a name cannot change after the check. */
export function reachLookup(reach: Reach): LookupFunction {
  return (hostname, options, callback) => {
    dns.lookup(hostname, options, (error, found: string | LookupAddress[], family) => {
      const addresses = typeof found === 'string' ? [found] : (found ?? []).map(({ address }) => address)
      const bad = addresses.find((address) => !isWithinReach(address, reach))
      callback(error ?? (bad === undefined ? null : new OutOfReach(hostname, bad)), found, family)
    })
  }
}
