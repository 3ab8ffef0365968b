import type { GatewayModel } from '../../model/index.ts'

/** Whether a configuration says anything that has to fit what the targets list. */
export function asksForLists({
  policy,
  views,
  limits,
}: Pick<GatewayModel, 'policy' | 'views' | 'limits'>): boolean {
  const { rules } = policy.trial ?? policy
  const expressions = limits.rates.flatMap(({ by, cost }) => [
    by,
    'expression' in cost ? cost.expression : undefined,
  ])
  return (
    [...rules.map(({ when }) => when), ...expressions].some((one) => one?.args.use === 'some') ||
    views.some(({ entries }) => entries.size > 0)
  )
}
