export type StoreErrorCode =
  /** Nothing was written: the disk, the store or the rows of one purpose are full. */
  | 'full'
  | 'too_large'
  | 'lost_lease'
  /** The value was encrypted with a key that is not in the ring, or was damaged. */
  | 'unreadable'
  /** The file cannot be used: of a newer version, damaged, or not permitted. */
  | 'unusable'
  /** Nothing was written, for another reason. */
  | 'failed'
  /** The server of the store cannot be reached. What was asked of it may have happened. */
  | 'unavailable'
  | 'closed'

/** A write that ends with one of these has changed nothing, but for `unavailable`. */
export class StoreError extends Error {
  override readonly name = 'StoreError'
  readonly code: StoreErrorCode

  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** Whether the server of the store cannot be reached, which says nothing of what was asked for. */
export function isStoreAway(thrown: unknown): boolean {
  return thrown instanceof StoreError && thrown.code === 'unavailable'
}
