import type { StderrLine } from './contract.ts'
import { createStore, type Store } from './store.ts'

const KEPT = 2_000
const stores = new Map<string, Store<readonly StderrLine[]>>()

/** The last lines that a target wrote to stderr, fed by the event stream and by the target's page. */
export function stderrOf(target: string): Store<readonly StderrLine[]> {
  let store = stores.get(target)
  if (!store) {
    store = createStore<readonly StderrLine[]>([])
    stores.set(target, store)
  }
  return store
}

export function addStderr(target: string, lines: readonly StderrLine[]): void {
  const store = stderrOf(target)
  const known = store.get()
  const bySeq = new Map([...known, ...lines].map((line) => [line.seq, line]))
  if (bySeq.size === known.length) return
  store.set([...bySeq.values()].sort((a, b) => a.seq - b.seq).slice(-KEPT))
}
