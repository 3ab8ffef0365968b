import {
  INVALID_PARAMS,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  type Outcome,
  RefusedForLoad,
} from '@gantry/mcp/exchange'

/** Failures by their class, over all targets. Classes come from the code: there are few of them. */
export class FailureCounts {
  readonly #counts = new Map<string, number>()

  count(outcome: Outcome): void {
    const name = failureClass(outcome)
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
  }

  all(): readonly (readonly [string, number])[] {
    return [...this.#counts]
  }
}

const WRONG: ReadonlySet<number> = new Set([INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND])

/** `tool`: the tool says so. `load`: too much at a time. `caller`: the request was wrong. Else what happened to the target. */
function failureClass(outcome: Outcome): string {
  if (outcome.type !== 'error') return 'tool'
  const { cause, error } = outcome
  if (cause instanceof RefusedForLoad) return 'load'
  const reason = cause instanceof Error && 'reason' in cause ? cause.reason : undefined
  // A target's failure has a reason of our own words.
  if (cause instanceof Error && cause.name === 'TargetError' && typeof reason === 'string') {
    return reason.replaceAll('-', '_')
  }
  return WRONG.has(error.code) ? 'caller' : cause === undefined ? 'target' : 'internal'
}
