import { useMemo } from 'react'
import { keep, readKept } from '../../api/kept.ts'
import { createStore, useStore, type Store } from '../../api/store.ts'

export type PickKind = 'tool' | 'prompt' | 'resource' | 'template' | 'request'

export interface Pick {
  readonly kind: PickKind
  readonly name: string
}

/** What was typed for each entry. Leaving, coming back and loading the page again lose nothing. */
const drafts: Store<Readonly<Record<string, unknown>>> = createStore<Readonly<Record<string, unknown>>>({})

export function slotOf({ kind, name }: Pick): string {
  return `${kind} ${name}`
}

export function setDraft(pick: Pick, value: unknown): void {
  drafts.set({ ...drafts.get(), [slotOf(pick)]: value })
  keep(slotOf(pick), value)
}

export function useDraft(pick: Pick): unknown {
  const key = slotOf(pick)
  const known = useStore(drafts)
  return useMemo(() => (Object.hasOwn(known, key) ? known[key] : readKept(key)), [known, key])
}
