import { RefusedForLoad, type Outcome } from '@gantry/mcp/exchange'

/** A limit refuses a call now. The call was not made. */
export class OverLimit extends RefusedForLoad {}

/** Whether a call was not made because of a limit. */
export function isOverLimit(outcome: Outcome): boolean {
  return outcome.type === 'error' && outcome.cause instanceof OverLimit
}
