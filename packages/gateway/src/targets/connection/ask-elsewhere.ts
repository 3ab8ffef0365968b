import { setTimeout as sleep } from 'node:timers/promises'
import { type FetchLike, http, McpError } from '@gantry/mcp/client'
import { ModernClientEdge, PlainExchange, type Exchange, type Outcome } from '@gantry/mcp/exchange'
import type { ArrivingResults } from '../fetch/arriving-results.ts'
import { type Elsewhere, MISDIRECTED } from '../connected/elsewhere.ts'
import { isUndone } from '../target-error.ts'
import { headersOf, NO_LIMITS, TargetExchange } from '../connected/target-exchange.ts'

export interface AskingServices {
  readonly fetch: FetchLike
  readonly arriving: ArrivingResults
  readonly maxMessageBytes: number
}

/** How soon a gateway that cannot be reached is looked up again: soon it is known to be gone, or there. */
const LOOK_AGAIN = 200

/**
 * Sends a request to the gateway that has the thing which the request is about. Returns undefined when that gateway is
 * gone, because everything that it had is gone, too. When that gateway takes no connection, `find` is called again and
 * again until the answer is known; without `find`, the gateway counts as gone at once.
 */
export async function askUntilGone(
  first: Elsewhere,
  exchange: Exchange,
  services: AskingServices,
  find?: () => Promise<Elsewhere | undefined>,
): Promise<Outcome | undefined> {
  for (let elsewhere: Elsewhere | undefined = first; elsewhere; elsewhere = await find?.()) {
    try {
      return await askElsewhere(elsewhere, exchange, services)
    } catch (thrown) {
      if (exchange.signal.aborted || !hasSeenNothing(thrown)) throw thrown
      if (find) await sleep(LOOK_AGAIN)
    }
  }
  return undefined
}

/** Whether the gateway was not reached, or another gateway is at its address. */
function hasSeenNothing(thrown: unknown): boolean {
  if (!(thrown instanceof McpError)) return false
  const { code, details } = thrown
  return (
    (code === 'network' && isUndone(thrown)) || (code === 'http_status' && details.status === MISDIRECTED)
  )
}

/** Sends one request to a gateway, which knows the rest. */
async function askElsewhere(
  { url, headersFor, untilGone, ...elsewhere }: Elsewhere,
  exchange: Exchange,
  { arriving, maxMessageBytes, ...services }: AskingServices,
): Promise<Outcome> {
  const fetch = elsewhere.fetch ?? services.fetch
  const wire = await http(url, { fetch, maxMessageBytes, arrivals: arriving.of(url) }).open()
  const edge = new ModernClientEdge(wire, {
    keepsText: true,
    extraHeaders: (own) => headersFor(own, { older: false }),
  })
  return whileThere(untilGone, exchange, edge.handle)
}

/** Asks another gateway. Ends with an error when that gateway is gone. */
export async function whileThere(
  untilGone: Elsewhere['untilGone'],
  exchange: Exchange,
  ask: (exchange: Exchange) => Outcome | Promise<Outcome>,
): Promise<Outcome> {
  const asked =
    exchange instanceof PlainExchange
      ? exchange
      : new TargetExchange(exchange, headersOf(exchange), NO_LIMITS)
  const forget = untilGone(() =>
    asked.abort(new McpError('closed', 'The gateway that has the target is gone')),
  )
  try {
    return await ask(asked)
  } finally {
    forget()
  }
}
