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
