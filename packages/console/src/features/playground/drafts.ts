import { createStore, useStore, type Store } from '../../api/store.ts'

export type PickKind = 'tool' | 'prompt' | 'resource' | 'template' | 'request'

export interface Pick {
  readonly kind: PickKind
  readonly name: string
}

/** What was typed for each entry, for as long as the page lives: leaving and coming back loses nothing. */
const drafts: Store<Readonly<Record<string, unknown>>> = createStore<Readonly<Record<string, unknown>>>({})

const keyOf = ({ kind, name }: Pick) => `${kind} ${name}`

export function setDraft(pick: Pick, value: unknown): void {
  drafts.set({ ...drafts.get(), [keyOf(pick)]: value })
}

export function useDraft(pick: Pick): unknown {
  return useStore(drafts)[keyOf(pick)]
}
