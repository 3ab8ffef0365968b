import type { ResultRule } from '../../model/index.ts'
import type { Resolved } from '../gateway-exchange.ts'
import { ObjectMemory } from '../../rules/object-memory.ts'
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

/** What holds for an object, worked out when it is called for the first time. */
export function forEachObject<T>(workOut: (called: Resolved) => T): (called: Resolved) => T {
  const known = new ObjectMemory<{ readonly value: T }>()
  return (called) =>
    known.of(called.target.name, { kind: called.kind, name: called.name }, () => ({ value: workOut(called) }))
      .value
}
