import type { Gateway } from '../gateway.ts'

type Target = Gateway['targets'][number]

export interface HealthAnswer {
  readonly code: 200 | 503
  readonly body: { readonly status: 'ok' | 'not ready' | 'draining'; readonly [detail: string]: unknown }
}

/** `/health`: the process lives. */
export const ALIVE: HealthAnswer = { code: 200, body: { status: 'ok' } }

/** `/ready`: the gateway can serve. Only targets that are `required` count. */
export function readiness(gateway: Gateway, isDraining: boolean): HealthAnswer {
  if (isDraining) return { code: 503, body: { status: 'draining' } }
  if (gateway.targets.some((target) => target.model.required && isUnusable(gateway, target))) {
    return { code: 503, body: { status: 'not ready' } }
  }
  return ALIVE
}

/** Whether the gateway can serve, with the state of each target that the caller may know of. */
export function verbose(
  answer: HealthAnswer,
  gateway: Gateway,
  mayKnow: (target: Target) => boolean,
): HealthAnswer {
  const { catalog } = gateway
  const missing = catalog.merged.gaps(catalog.catalogs.filter((one) => mayKnow(one.target)))
  const targets = gateway.targets.filter(mayKnow).map((target) => ({
    name: target.name,
    state: target.state,
    required: target.model.required,
    usable: !isUnusable(gateway, target),
  }))
  const { kind, away } = gateway.store
  const store = { kind, state: away ? 'away' : 'ok', ...(away && { since: away.since }) }
  return { ...answer, body: { ...answer.body, targets, missing, store } }
}

const DOWN: ReadonlySet<Target['state']> = new Set(['backing-off', 'quarantined', 'needs-auth', 'stopped'])

/** A lazy target that was never used is not a problem. A target that should run and has no lists yet is a problem. */
function isUnusable(gateway: Gateway, target: Target): boolean {
  const { enabled, disabledReason, start } = target.model
  if (!enabled) return disabledReason !== undefined
  if (DOWN.has(target.state)) return true
  return start === 'eager' && gateway.catalog.of(target)?.snapshot === undefined
}
