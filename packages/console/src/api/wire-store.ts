import { call } from './call.ts'
import type { WireRecord } from './contract.ts'
import { createStore, type Store } from './store.ts'
import { whenUsed } from './used.ts'

export const WIRE_CAPACITY = 10_000

export interface WireState {
  /** Newest first. */
  readonly records: readonly WireRecord[]
  readonly loaded: boolean
  /** How many the gateway has, also while not all of them are here. */
  readonly kept: number
  readonly error?: unknown
}

export const wireStore: Store<WireState> = createStore<WireState>({ records: [], loaded: false, kept: 0 })

/** Between two looks of the list: more often, nobody could read it, and drawing it costs. */
const DRAWN_EVERY = 300
let gathered: WireRecord[] = []
let isGathering = false

/** Puts in what is new and replaces what went on; at once, unless it just did. */
export function addWireRecords(added: readonly WireRecord[]): void {
  gathered.push(...added)
  if (isGathering || gathered.length === 0) return
  const state = wireStore.get()
  wireStore.set({ ...state, records: mergeRecords(state.records, gathered) })
  gathered = []
  isGathering = true
  setTimeout(() => {
    isGathering = false
    addWireRecords([])
  }, DRAWN_EVERY)
}

/** Each process of a gateway counts for itself, so ids alone do not say which was first. */
export function newerFirst(a: Pick<WireRecord, 'at' | 'id'>, b: Pick<WireRecord, 'at' | 'id'>): number {
  return b.at - a.at || b.id - a.id
}

/** Touches only the newest part of the list: it is long, and this happens many times a second. */
export function mergeRecords(known: readonly WireRecord[], added: readonly WireRecord[]): WireRecord[] {
  const oldest = added.reduce((least, { at }) => Math.min(least, at), Number.POSITIVE_INFINITY)
  const untouched = known.findIndex(({ at }) => at < oldest)
  const split = untouched === -1 ? known.length : untouched
  const byId = new Map([...known.slice(0, split), ...added].map((record) => [record.id, record]))
  const newest = [...byId.values()].sort(newerFirst)
  return newest.concat(known.slice(split)).slice(0, WIRE_CAPACITY)
}

/** A screen or two, to be shown at once; and as many as the gateway gives at a time. */
const FIRST_PAGE = 200
const NEXT_PAGE = 2_500

/** Fetches what the gateway still has: the newest at once, the others when a person uses the page. */
export async function loadWire(): Promise<void> {
  try {
    let before: number | undefined
    const records: WireRecord[] = []
    do {
      const query = before === undefined ? { limit: FIRST_PAGE } : { limit: NEXT_PAGE, before }
      const page = await call('wire', { query })
      records.push(...page.records)
      before = page.next
      const { records: live } = wireStore.get()
      wireStore.set({ records: mergeRecords(records, live), loaded: true, kept: page.kept })
      if (before !== undefined) await whenUsed()
    } while (before !== undefined && records.length < WIRE_CAPACITY)
  } catch (error) {
    wireStore.set({ ...wireStore.get(), loaded: true, error })
  }
}

export async function clearWire(): Promise<void> {
  await call('clearWire')
  gathered = []
  wireStore.set({ records: [], loaded: true, kept: 0 })
}
