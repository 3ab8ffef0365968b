/** The one place for state that outlives a request: in memory, in a file that is durable, or in Redis (docs/store.md). */
export { createMemoryStore, openEmbeddedStore, openRedisStore, type EmbeddedOptions } from './open-store.ts'
export { allRows, scanAll } from './all-rows.ts'
export { orLost, withLease } from './store.ts'
export { isStoreAway, StoreError, type StoreErrorCode } from './store-error.ts'
export type { RedisAccount, RedisOptions, RedisPlace } from './redis/client.ts'
export type { RedisHost } from './redis/redis-client.ts'
export type {
  Away,
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
