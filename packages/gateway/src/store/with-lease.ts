import { setTimeout as delay } from 'node:timers/promises'
import type { Lease, Store } from './store.ts'

const TTL = 10_000
const RETRY = 25

/**
 * Runs while no other process runs under the same name. The lease is renewed until the work ends; a holder that stood
 * still for too long loses it, and the store refuses what it writes under the lease then.
 */
export async function withLease<T>(
  store: Store,
  name: string,
  run: (lease: Lease) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const lease = await waitForLease(store, name, signal)
  const renewal = setInterval(() => void store.renew(lease, TTL).catch(() => {}), TTL / 3).unref()
  try {
    return await run(lease)
  } finally {
    clearInterval(renewal)
    // One that cannot be released ends by itself.
    await store.release(lease).catch(() => {})
  }
}

async function waitForLease(store: Store, name: string, signal: AbortSignal | undefined): Promise<Lease> {
  for (;;) {
    signal?.throwIfAborted()
    const lease = await store.acquire(name, TTL)
    if (lease) return lease
    await delay(RETRY, undefined, signal && { signal })
  }
}
