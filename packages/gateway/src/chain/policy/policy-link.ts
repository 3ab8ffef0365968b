import type { Notification } from '@gantry/mcp/exchange'
import type { GatewayModel } from '../../model/index.ts'
import { updatedUri } from '../../targets/listening/shared-listener.ts'
import { absent } from '../absent.ts'
import type { GatewayExchange, ResolvedExchange } from '../gateway-exchange.ts'
import type { Link } from '../link.ts'
import { permissionsOf } from './permissions.ts'
import { permittedOutcome } from './permitted-result.ts'

/**
 * May the caller call what its request is about? Then what the target answers and says is shown without the resources
 * that the caller may not know of. What the endpoint answers itself is made of what the caller may see.
 */
export function policyLink(model: GatewayModel): Link | undefined {
  return isOpenToAll(model) ? undefined : decide
}

/** Nobody is refused anything, and no target has resources that the configuration leaves out. */
function isOpenToAll({ policy, targets }: GatewayModel): boolean {
  const isSelecting = targets.some(({ resources }) => resources.include.length + resources.exclude.length > 0)
  return !isSelecting && permissionsOf(policy, {}).isCommon
}

const decide: Link = (exchange, next) => {
  const { view } = exchange
  const { kind, catalog, name } = exchange.resolved!
  if (!view.mayCall(kind, catalog, name)) throw absent(exchange)
  if (!view.isRestricted(catalog)) return next()
  exchange.hear(withoutDenied)
  return next().then((outcome) => permittedOutcome(outcome, exchange as ResolvedExchange))
}

function withoutDenied(
  notification: Notification,
  { view, resolved }: GatewayExchange,
): Notification | undefined {
  const uri = updatedUri(notification)
  return uri === undefined || view.maySee('resources', resolved!.catalog, uri) ? notification : undefined
}
