import type { ResultRule } from '../../model/index.ts'
import type { Resolved } from '../gateway-exchange.ts'
import { forbids } from '../../rules/rule-index.ts'

/** Whether a rule is about what was called, in whatever spelling. */
export function isAbout(
  { for: patterns }: Pick<ResultRule, 'for'>,
  { kind, target, name }: Pick<Resolved, 'kind' | 'name'> & { readonly target: { readonly name: string } },
): boolean {
  return (
    patterns.length === 0 || patterns.some((pattern) => forbids(pattern, { kind, target: target.name, name }))
  )
}

const MOST_OBJECTS = 10_000
/** Longer names are not remembered. */
const LONGEST_NAME = 1000

/** What holds for an object, worked out when it is called for the first time. */
export function forEachObject<T>(workOut: (called: Resolved) => T): (called: Resolved) => T {
  const known = new Map<string, { readonly value: T }>()
  return (called) => {
    const key = `${called.kind}\0${called.target.name}\0${called.name}`
    let found = known.get(key)
    if (!found) {
      found = { value: workOut(called) }
      // Callers choose URIs, so there is no end to them.
      if (known.size >= MOST_OBJECTS) known.clear()
      if (key.length < LONGEST_NAME) known.set(key, found)
    }
    return found.value
  }
}
