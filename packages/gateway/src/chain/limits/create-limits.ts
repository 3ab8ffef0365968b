import { Budget, MemoryContinuations, SubscriptionMeter } from '@gantry/mcp/exchange'
import { sharedLimit, type GatewayModel } from '../../model/index.ts'
import { KeptShares } from '../long-results/kept-shares.ts'
import { RateCounts } from '../rates/rate-counts.ts'
import { Admission } from './admission.ts'
import { LateRefusals } from './late-refusals.ts'

/** The limits that all endpoints share. */
export interface GatewayLimits {
  /** Bounds the requests under way. */
  readonly admission: Admission
  /** Slows down callers that are refused again and again. */
  readonly refusals: LateRefusals
  /** Bounds what clients listen for. */
  readonly subscriptions: SubscriptionMeter
  /** Counts the questions that clients have not answered. */
  readonly questions: Budget
  /** The calls that wait for their clients to come back. */
  readonly continuations: MemoryContinuations
  /** What was counted against the rates of the configuration. */
  readonly rates: RateCounts
  /** How much of long results is kept for callers. */
  readonly shares: KeptShares
}

export function createLimits(limits: GatewayModel['server']['limits']): GatewayLimits {
  const parked = sharedLimit(limits.parkedCalls, limits)
  return {
    admission: new Admission(sharedLimit(limits.requestsInFlight, limits)),
    refusals: new LateRefusals(),
    subscriptions: new SubscriptionMeter({
      ...sharedLimit(limits.subscriptions, limits),
      perRequest: limits.subscriptionsPerRequest,
    }),
    questions: new Budget(parked),
    rates: new RateCounts(),
    shares: new KeptShares(),
    continuations: new MemoryContinuations({
      maxParked: limits.parkedCalls,
      maxParkedOfCaller: parked.perCaller,
      ttl: limits.parkedFor,
    }),
  }
}
