import { isJsonObject } from '@gantry/mcp/exchange'
import type { ResolvedExchange } from '../gateway-exchange.ts'
import type { Approval } from './approval.ts'
import type { Approvals } from './approvals.ts'
import { waitingText } from './answers.ts'

/** Many clients end a request that is silent for a minute. */
const SAY_EVERY = 10_000

/**
 * Waits until an approval is decided, and tells the caller so by progress. Undefined: it expired, was used by another
 * call, or the policy changed. Throws when the caller goes away; the approval stays, and the call can be repeated.
 */
export function decisionOf(
  approval: Approval,
  exchange: ResolvedExchange,
  approvals: Approvals,
): Promise<Approval | undefined> {
  const wait = (): Promise<Approval | undefined> => waitFor(approval, exchange, approvals)
  return exchange.whilePaused ? exchange.whilePaused(wait) : wait()
}

async function waitFor(
  approval: Approval,
  exchange: ResolvedExchange,
  approvals: Approvals,
): Promise<Approval | undefined> {
  const { signal } = exchange
  const say = progressOf(approval, exchange)
  let current: Approval | undefined = approval
  while (current?.state === 'pending' && !approvals.isVoid(current)) {
    say()
    await approvals.change(approval.id, signal)
    signal.throwIfAborted()
    current = await approvals.get(approval.id)
  }
  return current && approvals.isVoid(current) ? undefined : current
}

/** Says from time to time that the call waits. */
function progressOf(approval: Approval, exchange: ResolvedExchange): () => void {
  const { _meta } = exchange.params
  const progressToken = isJsonObject(_meta) ? _meta.progressToken : undefined
  if (progressToken === undefined) return () => {}
  const began = Date.now()
  let said = 0
  return () => {
    const now = Date.now()
    if (now - said < SAY_EVERY) return
    said = now
    const progress = Math.max(0, Math.round((now - began) / 1000))
    exchange.notify({
      method: 'notifications/progress',
      params: { progressToken, progress, message: waitingText(approval) },
    })
  }
}
