import { reachLookup } from '@gantry/mcp/client/node'
import { isChosenHost, isWithinReach, OutOfReach, parseUrl, type Reach } from '@gantry/mcp/foreign'
import type { Dispatcher, RequestInfo, RequestInit as UndiciInit } from 'undici'

/** A `fetch` for foreign addresses: hosts must be within reach, or the operator's. */
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
