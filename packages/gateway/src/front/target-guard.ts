import type { Guard, GuardVerdict } from '@gantry/mcp/server'
import type { Gateway } from '../gateway.ts'
import type { Caller } from '../rules/facts.ts'

const ANYBODY: GuardVerdict = { ok: true, auth: undefined }

/** Guards one target's endpoint. A target that the caller may not know is answered like a missing one. */
export function targetGuard(target: string | undefined, gateway: Gateway, guard: Guard | undefined): Guard {
  return async (call) => {
    const verdict = guard ? await guard(call) : ANYBODY
    if (!verdict.ok) return verdict
    const found = target === undefined ? undefined : gateway.target(target)
    if (found && gateway.mayKnow(found, verdict)) return verdict
    if (target !== undefined && gateway.mayUseView(target, verdict)) return verdict
    return notFound(gateway, verdict, guard === undefined)
  }
}

/** On a gateway without a guard, people type names by hand. */
function notFound(gateway: Gateway, caller: Caller, isHelpful: boolean): GuardVerdict {
  const known = isHelpful ? gateway.targets.filter((target) => gateway.mayKnow(target, caller)) : []
  const hint = known.length > 0 ? ` Targets: ${known.map(({ name }) => name).join(', ')}` : ''
  const headers = { 'content-type': 'text/plain' }
  return { ok: false, status: 404, headers, body: `There is no such target.${hint}\n` }
}
