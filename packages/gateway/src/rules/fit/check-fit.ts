import type { GatewayModel, SourcePlace } from '../../model/index.ts'
import { checkLimits } from './check-limits.ts'
import { checkRules, type Offer } from './check-rules.ts'
import { checkViews } from './check-views.ts'

/** A rule, a view or a limit that does not fit what the targets offer. */
export interface Misfit {
  readonly about: 'rule' | 'view' | 'limit'
  readonly name: string
  readonly place: SourcePlace | undefined
  readonly message: string
}

type Checked = Pick<GatewayModel, 'policy' | 'views' | 'limits'>

/** Compares a configuration with what the targets list. */
export async function checkFit(
  { policy, views, limits }: Checked,
  offers: readonly Offer[],
): Promise<Misfit[]> {
  const inRules = checkRules(policy.trial ?? policy, offers)
  const inViews = await checkViews(views, offers)
  const inLimits = await checkLimits(limits.rates, offers)
  return [
    ...inRules.map(({ rule, ...rest }): Misfit => ({ about: 'rule', name: rule, ...rest })),
    ...inViews.map(({ view, message }): Misfit => ({ about: 'view', name: view, place: undefined, message })),
    ...inLimits.map(
      ({ limit, message }): Misfit => ({
        about: 'limit',
        name: limit,
        place: undefined,
        message,
      }),
    ),
  ]
}
