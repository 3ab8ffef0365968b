import { call } from './call.ts'
import type { WireRecord } from './contract.ts'
import { createStore, type Store } from './store.ts'

export const WIRE_CAPACITY = 10_000

export interface WireState {
  /** Newest first. */
  readonly records: readonly WireRecord[]
  readonly loaded: boolean
  readonly error?: unknown
}

export const wireStore: Store<WireState> = createStore<WireState>({ records: [], loaded: false })

/** Puts in what is new and replaces what went on. Both lists are newest first, or nearly so. */
export function addWireRecords(added: readonly WireRecord[]): void {
  if (added.length === 0) return
  const state = wireStore.get()
  wireStore.set({ ...state, records: mergeRecords(state.records, added) })
}

export function mergeRecords(known: readonly WireRecord[], added: readonly WireRecord[]): WireRecord[] {
  const fresh = new Map(added.map((record) => [record.id, record]))
  const kept = known.map((record) => {
    const newer = fresh.get(record.id)
    if (newer) fresh.delete(record.id)
    return newer ?? record
  })
  const merged = [...[...fresh.values()].sort((a, b) => b.id - a.id), ...kept]
  // Only a late page of older records brings anything out of order.
  if (merged.some((record, index) => index > 0 && record.id > merged[index - 1]!.id)) {
    merged.sort((a, b) => b.id - a.id)
  }
  return merged.slice(0, WIRE_CAPACITY)
}

/** Fetches what the gateway still has. */
export async function loadWire(): Promise<void> {
  try {
    let before: number | undefined
    const records: WireRecord[] = []
    do {
      const page = await call('wire', { query: { limit: 1_000, ...(before !== undefined && { before }) } })
      records.push(...page.records)
      before = page.next
    } while (before !== undefined && records.length < WIRE_CAPACITY)
    const { records: live } = wireStore.get()
    wireStore.set({ records: mergeRecords(records, live), loaded: true })
  } catch (error) {
    wireStore.set({ ...wireStore.get(), loaded: true, error })
  }
}

export async function clearWire(): Promise<void> {
  await call('clearWire')
  wireStore.set({ records: [], loaded: true })
}
