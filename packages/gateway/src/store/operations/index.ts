import { acquireLease, isHeld, releaseLease, renewLease } from './leases.ts'
import { newestMessage, publishMessage } from './messages.ts'
import { getRow, listRows, putRow, swapRow, takeRow } from './rows.ts'
import { type Tables, fromJsonBytes, toJsonBytes, COUNTERS, EXPIRY, META, toEntry } from './tables.ts'
import { spendTokens, type KeptBucket } from './buckets.ts'
import type { Buckets, Spent, Inspection, Place, ScannedRow } from '../store.ts'

/** The operations of a driver. Each runs in one transaction. */
export interface Operations {
  get: typeof getRow
  list: typeof listRows
  holds: typeof isHeld
  inspect: typeof inspectTables
  scan: typeof scanRows
  newest: typeof newestMessage
  put: typeof putRow
  swap: typeof swapRow
  take: typeof takeRow
  spend: typeof spendFrom
  acquire: typeof acquireLease
  renew: typeof renewLease
  release: typeof releaseLease
  publish: typeof publishMessage
  sweep(tables: Tables, limit: number): number
}

const READS = {
  get: getRow,
  list: listRows,
  holds: isHeld,
  inspect: inspectTables,
  scan: scanRows,
  newest: newestMessage,
}
const OPERATIONS: Operations = {
  ...READS,
  put: putRow,
  swap: swapRow,
  take: takeRow,
  spend: spendFrom,
  acquire: acquireLease,
  renew: renewLease,
  release: releaseLease,
  publish: publishMessage,
  sweep: (tables, limit) => tables.sweep(limit),
}

export type OperationName = keyof Operations
export type Argument<Name extends OperationName> = Parameters<Operations[Name]>[1]
export type Result<Name extends OperationName> = ReturnType<Operations[Name]>

export function onlyReads(name: OperationName): boolean {
  return Object.hasOwn(READS, name)
}

/** The types of names and arguments are lost on the way to a thread. */
export function runOperation(tables: Tables, name: OperationName, argument: unknown): unknown {
  const operation = OPERATIONS[name] as (tables: Tables, argument: unknown) => unknown
  return operation(tables, argument)
}

const MAX_COUNTERS = 100_000

function spendFrom(tables: Tables, buckets: Buckets): Spent {
  return spendTokens(
    {
      now: tables.now,
      get: (counter) => {
        const row = tables.get(COUNTERS, counter)
        return row && fromJsonBytes<KeptBucket>(row.bytes)
      },
      put: (counter, kept, expires) => {
        const row = { bytes: toJsonBytes(kept), version: tables.next(), expires, secret: false }
        tables.put(COUNTERS, counter, row, MAX_COUNTERS)
      },
    },
    Object.entries(buckets),
  )
}

/** Reads everything, and compares the books with the rows. */
export function inspectTables(tables: Tables, _: undefined): Inspection {
  const { format, rows: counted } = tables.meta
  const found: Record<string, { rows: number; expired: number }> = {}
  const expected = new Set<string>()
  const entries = new Set<string>()
  const problems: string[] = []
  for (const [table, key, row] of tables.scan()) {
    if (table === META) continue
    if (table === EXPIRY) {
      entries.add(key)
      continue
    }
    found[table] ??= { rows: 0, expired: 0 }
    found[table].rows += 1
    if (tables.isExpired(row)) found[table].expired += 1
    if (row.expires !== 0) expected.add(toEntry(row.expires, table, key))
    if (row.version > tables.meta.sequence) problems.push(`${table} "${key}" has a version of the future`)
  }
  for (const table of new Set([...Object.keys(counted), ...Object.keys(found)])) {
    const rows = found[table]?.rows ?? 0
    if (rows !== (counted[table] ?? 0)) {
      problems.push(`${table} has ${rows} rows, but ${counted[table] ?? 0} are counted`)
    }
  }
  const lacking = [...expected].filter((entry) => !entries.has(entry)).length
  const left = [...entries].filter((entry) => !expected.has(entry)).length
  if (lacking > 0) problems.push(`${lacking} rows would never expire`)
  if (left > 0) problems.push(`${left} entries of the expiry list have no row`)
  return { format, bytes: tables.meta.bytes, maxBytes: tables.maxBytes, tables: found, problems }
}

export function scanRows(
  tables: Tables,
  { after, limit }: { after: Place | undefined; limit: number },
): ScannedRow[] {
  const rows: ScannedRow[] = []
  for (const [table, key, { bytes, version, expires, secret }] of tables.scan(after)) {
    if (table === META || table === EXPIRY) continue
    rows.push({ table, key, bytes, version, expires: expires || undefined, secret })
    if (rows.length === limit) break
  }
  return rows
}
