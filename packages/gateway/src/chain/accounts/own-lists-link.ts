import { orAbort, type Outcome } from '@gantry/mcp/exchange'
import type { GatewayModel } from '../../model/index.ts'
import { atMost } from '../../catalog/at-most.ts'
import type { EndpointCatalog } from '../../catalog/endpoint-catalog.ts'
import type { TargetCatalog } from '../../catalog/target-catalog.ts'
import { isPersonal } from '../../targets/personal.ts'
import { isAbsent } from '../absent.ts'
import type { GatewayExchange } from '../gateway-exchange.ts'
import type { Link } from '../link.ts'
import type { Consent } from './consent.ts'

/**
 * Brings the lists of targets that tell strangers nothing, over the connection of a caller who has an account there.
 * It stands where names are looked up: in front of `resolve`, and of the lists.
 */
export function ownListsLink(
  { targets, catalog: { deadline } }: GatewayModel,
  { catalog, consent }: { catalog: EndpointCatalog; consent: Consent },
): Link | undefined {
  if (!targets.some(isPersonal)) return undefined
  return async (exchange, next) => {
    const wanted = exchange.auth ? catalog.catalogs.filter((one) => isWanted(one, exchange)) : []
    const named = wanted.filter((one) => isNamed(one, catalog, exchange))
    const asked = named.length > 0 ? named : wanted
    if (asked.length === 0) return next()
    const fetching = Promise.allSettled(asked.map((one) => fetchFor(one, exchange, consent)))
    // A list is answered without a slow target; a call of that target is worth waiting for.
    if (named.length === 0) await atMost(deadline, fetching)
    const fetched = named.length > 0 ? await orAbort(fetching, exchange.signal) : []
    const failed = fetched.find((one) => one.status === 'rejected')
    return failed ? orReason(exchange, next, failed.reason) : next()
  }
}

/** A target whose lists are unknown may have the name: the caller learns why there are no lists. */
async function orReason(
  exchange: GatewayExchange,
  next: Parameters<Link>[1],
  reason: unknown,
): Promise<Outcome> {
  try {
    return await next()
  } catch (thrown) {
    throw isAbsent(thrown, exchange) ? reason : thrown
  }
}

function isWanted(
  { target, isInvitation, snapshot, own }: TargetCatalog,
  exchange: GatewayExchange,
): boolean {
  if (!isPersonal(target.model) || !target.model.enabled) return false
  return (isInvitation || !snapshot) && own.of(exchange) === undefined
}

/** Whether the tool or prompt that is asked for has a name of this target. */
function isNamed(one: TargetCatalog, catalog: EndpointCatalog, { params }: GatewayExchange): boolean {
  const prefix = catalog.prefixOf(one)
  return (
    prefix !== '' && typeof params.name === 'string' && params.name.startsWith(prefix + catalog.separator)
  )
}

async function fetchFor(catalog: TargetCatalog, exchange: GatewayExchange, consent: Consent): Promise<void> {
  const { target } = catalog
  const { auth, headers } = exchange
  if (!(await consent.has(target.model, { principal: auth!.principal, headers }))) return
  await catalog.fetchOwn(await target.connectFor(exchange))
}
