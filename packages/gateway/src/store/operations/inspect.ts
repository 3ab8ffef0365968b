import type { Inspection, Place, ScannedRow } from '../store.ts'
import { EXPIRY, META, toEntry, type Tables } from './tables.ts'

/** Reads everything, and holds the books against what is there. */
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
