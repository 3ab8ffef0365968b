import type { Stored } from '../engine.ts'
import { StoreError } from '../store-error.ts'
import type { Lease } from '../store.ts'
import { isHeld } from './leases.ts'
import type { Tables } from './tables.ts'

export interface PutRow {
  readonly table: string
  readonly key: string
  readonly bytes: Uint8Array
  readonly secret: boolean
  readonly maxRows: number
  readonly ttl: number | undefined
  readonly lease: Lease | undefined
}

export function getRow(tables: Tables, { table, key }: { table: string; key: string }): Stored | undefined {
  return tables.get(table, key)
}

export function putRow(tables: Tables, put: PutRow): number {
  const { table, key, bytes, secret, maxRows, ttl, lease } = put
  if (lease && !isHeld(tables, lease)) {
    throw new StoreError('lost_lease', `The lease "${lease.name}" was lost before the write`)
  }
  const version = tables.next()
  const expires = ttl === undefined ? 0 : Math.ceil(tables.now + ttl)
  tables.put(table, key, { bytes, version, expires, secret }, maxRows)
  return version
}

export function swapRow(
  tables: Tables,
  { version, ...put }: PutRow & { version: number | undefined },
): number | undefined {
  return tables.get(put.table, put.key)?.version === version ? putRow(tables, put) : undefined
}

export function takeRow(tables: Tables, { table, key }: { table: string; key: string }): Stored | undefined {
  return tables.remove(table, key)
}

export interface ListRows {
  readonly table: string
  readonly prefix: string
  readonly after: string | undefined
  readonly limit: number
}

export function listRows(tables: Tables, { table, prefix, after, limit }: ListRows): [string, Stored][] {
  const rows: [string, Stored][] = []
  const isPast = after !== undefined && after >= prefix
  const first = isPast ? undefined : tables.get(table, prefix)
  if (first && limit > 0) rows.push([prefix, first])
  for (const [key, row] of tables.range(table, { after: isPast ? after : prefix })) {
    if (rows.length >= limit || !key.startsWith(prefix)) break
    if (!tables.isExpired(row)) rows.push([key, row])
  }
  return rows
}
