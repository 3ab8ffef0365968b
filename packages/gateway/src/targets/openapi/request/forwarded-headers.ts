import type { Exchange } from '@gantry/mcp/exchange'
import { isSendableHeader } from '../operations/read-parameter.ts'

/** The client's headers that the configuration lists, and no others. */
export function forwardedHeaders(
  exchange: Pick<Exchange, 'headers'>,
  names: readonly string[],
): Record<string, string> {
  const forwarded: Record<string, string> = {}
  for (const name of names.map((each) => each.toLowerCase())) {
    const value =
      exchange.headers && Object.hasOwn(exchange.headers, name) ? exchange.headers[name] : undefined
    if (value !== undefined && isSendableHeader(name)) forwarded[name] = value
  }
  return forwarded
}
