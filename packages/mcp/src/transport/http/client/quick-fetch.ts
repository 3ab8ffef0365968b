import type { Cancellation } from '../../../exchange/exchange.ts'
import { signalCancellation } from '../../../exchange/plain-exchange.ts'

export type FetchLike = (url: string, init: RequestInit) => Promise<Response>

/** An option of our own `fetch`: the end of a request without the cost of a signal. */
export interface QuickInit extends RequestInit {
  cancellation?: Cancellation | undefined
}

export function callerOf({ cancellation, signal }: QuickInit): Cancellation {
  return cancellation ?? signalCancellation(signal)
}

/** The error that a request ends with when it is given up. */
export function abortReason({ reason }: Cancellation): Error {
  return reason instanceof Error ? reason : new Error('aborted')
}

/** The headers as an object. An AuthProvider may have made them `Headers`; that class is not loaded without need. */
export function plainHeaders({ headers }: QuickInit): Record<string, string> {
  const isMade = typeof (headers as Headers | undefined)?.append === 'function'
  return isMade ? Object.fromEntries(headers as Headers) : ((headers ?? {}) as Record<string, string>)
}

export interface QuickFetch {
  (url: string, init: QuickInit): Promise<Response>
  readonly takesCancellation: true
}

export function isQuick(fetch: FetchLike | QuickFetch): fetch is QuickFetch {
  return 'takesCancellation' in fetch && fetch.takesCancellation === true
}

export function quickFetch(fetch: (url: string, init: QuickInit) => Promise<Response>): QuickFetch {
  return Object.assign(fetch, { takesCancellation: true as const })
}
