import { createStore, type Store } from '../../../api/store.ts'
import { parseJson, writeJson } from '../../../api/json.ts'
import type { Pick } from '../drafts.ts'

/** A request that was given a name, to be made again. It lives in this browser. */
export interface SavedRequest {
  readonly title: string
  readonly pick: Pick
  readonly draft: unknown
}

const KEY = 'gantry.requests'

export const savedRequests: Store<readonly SavedRequest[]> = createStore(stored())

/** Takes the place of one of the same name. */
export function saveRequest(saved: SavedRequest): void {
  const others = savedRequests.get().filter(({ title }) => title !== saved.title)
  write([...others, saved].sort((a, b) => a.title.localeCompare(b.title)))
}

export function forgetRequest(title: string): void {
  write(savedRequests.get().filter((one) => one.title !== title))
}

function write(all: readonly SavedRequest[]): void {
  savedRequests.set(all)
  localStorage.setItem(KEY, writeJson(all))
}

function stored(): readonly SavedRequest[] {
  try {
    const value: unknown = parseJson(localStorage.getItem(KEY) ?? '[]')
    return Array.isArray(value) ? (value as SavedRequest[]) : []
  } catch {
    return []
  }
}
