import type { Heard } from '../driver.ts'
import type { OperationName } from '../operations/index.ts'
import type { StoreErrorCode } from '../store-error.ts'

export type Job =
  | { readonly do: 'open'; readonly maxBytes: number }
  | { readonly do: 'run'; readonly name: OperationName; readonly argument: unknown }
  | { readonly do: 'watch' | 'unwatch' | 'close' }

export type Request = Job & { readonly id: number; readonly path: string }

/** Every request gets an answer; news comes by itself. */
export type Reply =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: { readonly code: StoreErrorCode; readonly message: string } }
  | { readonly path: string; readonly news: Heard }
