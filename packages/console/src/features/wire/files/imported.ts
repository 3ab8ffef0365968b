import type { WireDetail } from '../../../api/contract.ts'
import { createStore, type Store } from '../../../api/store.ts'
import { isJsonObject, readJson } from '../../../api/json.ts'
import { newerFirst } from '../../../api/wire-store.ts'
import { fromHar } from './har.ts'
import { toExchange } from './to-exchange.ts'

/** Exchanges of a file, which are shown in place of the gateway's. */
export interface Imported {
  readonly file: string
  /** Newest first. */
  readonly records: readonly WireDetail[]
}

export const imported: Store<Imported | undefined> = createStore<Imported | undefined>(undefined)

export async function importFile(file: File): Promise<void> {
  imported.set({ file: file.name, records: readExchanges(await file.text()) })
}

/** Reads what this page exports: JSON lines, or an HTTP Archive, which other programs write as well. */
export function readExchanges(text: string): WireDetail[] {
  const found = withOwnIds(whole(text) ?? lines(text))
  if (found.length === 0)
    throw new Error('No exchanges were found in this file. It takes an export of this page, or a HAR file.')
  return found.sort(newerFirst)
}

/** Files that were joined have ids twice: those that are taken get others, since rows are found by them. */
function withOwnIds(exchanges: readonly WireDetail[]): WireDetail[] {
  const taken = new Set<number>()
  let next = exchanges.reduce((most, { id }) => Math.max(most, id), 0)
  return exchanges.map((exchange) => {
    const id = taken.has(exchange.id) ? ++next : exchange.id
    taken.add(id)
    return id === exchange.id ? exchange : { ...exchange, id }
  })
}

function whole(text: string): WireDetail[] | undefined {
  const archive = readJson(text)?.value
  return isJsonObject(archive) && archive.log !== undefined ? fromHar(archive) : undefined
}

function lines(text: string): WireDetail[] {
  return text.split('\n').flatMap((line) => toExchange(readJson(line)?.value) ?? [])
}
