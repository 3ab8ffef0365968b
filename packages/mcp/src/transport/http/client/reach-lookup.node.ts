import dns, { type LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { isWithinReach, OutOfReach, type Reach } from '../../../protocol/index.ts'

/**
 * Looks names up for a connection, and refuses those that lead where a stranger may not send us. The addresses that
 * are checked are those that are connected to: a name that changes between a check and its use has no chance.
 */
export function reachLookup(reach: Reach): LookupFunction {
  return (hostname, options, callback) => {
    dns.lookup(hostname, options, (error, found: string | LookupAddress[], family) => {
      const addresses = typeof found === 'string' ? [found] : (found ?? []).map(({ address }) => address)
      const bad = addresses.find((address) => !isWithinReach(address, reach))
      callback(error ?? (bad === undefined ? null : new OutOfReach(hostname, bad)), found, family)
    })
  }
}
