import { type FetchLike, http, McpError } from '@gantry/mcp/client'
import { ModernClientEdge, PlainExchange, type Exchange, type Outcome } from '@gantry/mcp/exchange'
import type { ArrivingResults } from '../fetch/arriving-results.ts'
import type { Elsewhere } from '../connected/elsewhere.ts'
import { headersOf, NO_LIMITS, TargetExchange } from '../connected/target-exchange.ts'

export interface AskingServices {
  readonly fetch: FetchLike
  readonly arriving: ArrivingResults
  readonly maxMessageBytes: number
}

/** Sends one request to the gateway that has what it is about, which knows the rest. */
export async function askElsewhere(
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
