import { reachLookup } from '@gantry/mcp/client/node'
import { isChosenHost, isWithinReach, OutOfReach, parseUrl, type Reach } from '@gantry/mcp/foreign'
import type { Dispatcher, RequestInfo, RequestInit as UndiciInit } from 'undici'

/**
 * A `fetch` for addresses of which some come from a description or a redirect. Hosts that the operator chose may be
 * anywhere. Any other has to be within reach, by its address and by what its name resolves to when it is connected.
 */
export function createReachFetch(reach: Reach): typeof fetch {
  let dispatcher: Dispatcher | undefined
  return async (input, init) => {
    const url = parseUrl(String(input))
    if (!url || isChosenHost(url, reach)) return globalThis.fetch(input, init)
    if (!isWithinReach(url.hostname, reach)) throw new OutOfReach(url.hostname, url.hostname)
    const { Agent, fetch } = await import('undici')
    dispatcher ??= new Agent({ connect: { lookup: reachLookup(reach) } })
    const guarded = { ...(init as UndiciInit), dispatcher }
    return (await fetch(input as RequestInfo, guarded)) as unknown as Response
  }
}
