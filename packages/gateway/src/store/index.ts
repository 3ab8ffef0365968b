/** The one place for state that outlives a request: in memory, or in a file that is durable (docs/store.md). */
export { createMemoryStore, openEmbeddedStore, type EmbeddedOptions } from './open-store.ts'
export { withLease } from './store.ts'
export type { StoreError, StoreErrorCode } from './store-error.ts'
export type {
  Bucket,
  Buckets,
  Inspection,
  Lease,
  Listener,
  Place,
  Row,
  Rows,
  RowsOptions,
  ScannedRow,
  Sealing,
  Spent,
  Store,
} from './store.ts'
export { spendTokens, type KeptBucket } from './operations/buckets.ts'
