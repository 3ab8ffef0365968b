import dns, { type LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { isWithinReach, OutOfReach, type Reach } from '../../../protocol/index.ts'

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
