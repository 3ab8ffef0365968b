import type { JsonObject } from '@gantry/mcp/exchange'
import { closedParameters, suggest, type ViewEntry, type ViewModel } from '../model/index.ts'
import type { Offer } from './check-rules.ts'

/** Something of a view that is not there at the target. */
export interface ViewFinding {
  readonly view: string
  readonly message: string
}

const KEY = /^(tools|prompts):([^/]+)\/(.*)$/s

/** Compares views with what the targets list: a name that is wrong changes nothing, and a limit on it holds for nothing. */
export function checkViews(views: readonly ViewModel[], offers: readonly Offer[]): ViewFinding[] {
  return views.flatMap(({ name: view, entries }) =>
    [...entries].flatMap(([key, entry]) => {
      const [, kind, target, own = ''] = KEY.exec(key) ?? []
      const items = offers.find((offer) => offer.target === target)?.[kind as 'tools' | 'prompts']
      if (!items) return []
      return problemsOf(entry, own, items).map((message) => ({
        view,
        message: `${message} (view "${view}")`,
      }))
    }),
  )
}

function problemsOf(entry: ViewEntry, own: string, items: readonly JsonObject[]): string[] {
  const item = items.find(({ name }) => name === own)
  if (!item) {
    const names = items.map(({ name }) => String(name))
    return [`The target does not offer ${own}${meant(own, names)}`]
  }
  const known = closedParameters(item)
  return [...entry.parameters.keys()].flatMap((name) =>
    !known || known.includes(name) ? [] : [`${name} is not a parameter of ${own}${meant(name, known)}`],
  )
}

function meant(name: string, names: readonly string[]): string {
  const close = suggest(name, names)
  return close === undefined ? '' : `; did you mean ${close}?`
}
