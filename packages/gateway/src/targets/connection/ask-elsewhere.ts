import { http } from '@gantry/mcp/client'
import { ModernClientEdge, type Exchange, type Outcome } from '@gantry/mcp/exchange'
import type { Elsewhere } from '../link/elsewhere.ts'
import type { OpenerServices } from './link-opener.ts'

/** Sends one request to the gateway that has what it is about, which knows the rest. */
export async function askElsewhere(
  { url, headersFor, ...elsewhere }: Elsewhere,
  exchange: Exchange,
  { arriving, maxMessageBytes, ...services }: Pick<OpenerServices, 'fetch' | 'arriving' | 'maxMessageBytes'>,
): Promise<Outcome> {
  const fetch = elsewhere.fetch ?? services.fetch
  const wire = await http(url, { fetch, maxMessageBytes, arrivals: arriving.of(url) }).open()
  const edge = new ModernClientEdge(wire, {
    keepsText: true,
    extraHeaders: (own) => headersFor(own, { older: false }),
  })
  return edge.handle(exchange)
}
