import type { Exchange } from '@gantry/mcp/exchange'
import type { TargetModel } from '../model/index.ts'

type Headers = Readonly<Record<string, string | undefined>>

/** Never passed on, whatever is configured: they belong to one hop (RFC 9110, section 7.6.1) or to the protocol. */
const OWN =
  /^(connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|host|content-.*|accept|mcp-.*)$/

/** The headers that a target gets with a request: those of the client's that are listed, and mirrored arguments. */
export function targetHeaders(
  model: TargetModel,
  { headers }: Pick<Exchange, 'headers'>,
  mirrored?: Record<string, string>,
): Record<string, string> | undefined {
  const forwarded =
    model.forwardHeaders.length > 0 && headers ? pick(headers, model.forwardHeaders) : undefined
  return forwarded && mirrored ? { ...forwarded, ...mirrored } : (forwarded ?? mirrored)
}

function pick(headers: Headers, names: readonly string[]): Record<string, string> | undefined {
  const picked: Record<string, string> = {}
  for (const name of names) {
    const value = Object.hasOwn(headers, name) ? headers[name] : undefined
    if (value !== undefined && !OWN.test(name)) picked[name] = value
  }
  return Object.keys(picked).length > 0 ? picked : undefined
}
