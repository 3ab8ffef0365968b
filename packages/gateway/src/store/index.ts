/** The one place for state that outlives a request: in memory, or in a file that is durable (docs/store.md). */
export { KeyRing } from './key-ring.ts'
export { createMemoryStore, openEmbeddedStore, type EmbeddedOptions } from './open-store.ts'
export { StoreError, type StoreErrorCode } from './store-error.ts'
export type {
  Bucket,
  Inspection,
  Lease,
  Listener,
  Place,
  Row,
  Rows,
  RowsOptions,
  ScannedRow,
  Spent,
  Store,
} from './store.ts'
