import type { Expression, RateModel } from '../../model/index.ts'
import { expressionProblem } from './check-expressions.ts'
import { MOST_CHECKS, objectsOf, type Offer } from './check-rules.ts'
import { forbids } from '../rule-index.ts'

/** An expression of a limit that does not fit what is counted. Such a limit refuses calls. */
export interface LimitFinding {
  readonly limit: string
  readonly message: string
}

/** Compares the expressions of limits with the arguments of all that they count. */
export async function checkLimits(
  limits: readonly RateModel[],
  offers: readonly Offer[],
): Promise<LimitFinding[]> {
  const findings: LimitFinding[] = []
  const objects = offers.flatMap(objectsOf)
  for (const { name: limit, for: patterns, by, cost } of limits) {
    const counted = objects.filter(
      (object) => patterns.length === 0 || patterns.some((pattern) => forbids(pattern, object)),
    )
    const told = async (expression: Expression | undefined, wanted?: object): Promise<void> => {
      if (!expression || expression.args.use === 'none') return
      const message = await expressionProblem(expression, counted.slice(0, MOST_CHECKS), wanted)
      if (message !== undefined) findings.push({ limit, message: `${message} (limit "${limit}")` })
    }
    await told(by)
    if ('expression' in cost) await told(cost.expression, { type: 'number' })
  }
  return findings
}
