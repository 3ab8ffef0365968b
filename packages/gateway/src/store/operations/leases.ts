import type { Lease } from '../store.ts'
import { LEASES, type Tables } from './tables.ts'

const MAX_LEASES = 100_000
const NOTHING = Buffer.alloc(0)

/** The version of the row is the fencing token of the holder. */
export function acquireLease(
  tables: Tables,
  { name, ttl }: { name: string; ttl: number },
): Lease | undefined {
  if (tables.get(LEASES, name)) return undefined
  return writeLease(tables, name, tables.next(), ttl)
}

export function renewLease(tables: Tables, { lease, ttl }: { lease: Lease; ttl: number }): Lease | undefined {
  return isHeld(tables, lease) ? writeLease(tables, lease.name, lease.token, ttl) : undefined
}

export function releaseLease(tables: Tables, lease: Lease): boolean {
  if (!isHeld(tables, lease)) return false
  tables.remove(LEASES, lease.name)
  return true
}

export function isHeld(tables: Tables, { name, token }: Lease): boolean {
  return tables.get(LEASES, name)?.version === token
}

function writeLease(tables: Tables, name: string, token: number, ttl: number): Lease {
  const expires = Math.ceil(tables.now + ttl)
  tables.put(LEASES, name, { bytes: NOTHING, version: token, expires, secret: false }, MAX_LEASES)
  return { name, token, expires }
}
