import { spendTokens } from './counters.ts'
import { inspectTables, scanRows } from './inspect.ts'
import { acquireLease, isHeld, releaseLease, renewLease } from './leases.ts'
import { newestMessage, publishMessage } from './messages.ts'
import { getRow, listRows, putRow, swapRow, takeRow } from './rows.ts'
import type { Tables } from './tables.ts'

/** What a driver can be asked for. Each runs in one transaction. */
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
  spend: typeof spendTokens
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
  spend: spendTokens,
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
