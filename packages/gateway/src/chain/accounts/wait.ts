import { isJsonObject, type AuthInfo } from '@gantry/mcp/exchange'
import type { ResolvedExchange } from '../gateway-exchange.ts'
import { connectText } from './answers.ts'
import type { Consent } from './consent.ts'

/** As long as a link works. */
const LONGEST = 10 * 60_000
/** Many clients end a request that is silent for a minute. */
const SAY_EVERY = 10_000

type Signed = ResolvedExchange & { readonly auth: AuthInfo }

/** Holds a call until its caller's account is there. False: it took too long. Ends with the request. */
export function untilConnected(exchange: Signed, consent: Consent): Promise<boolean> {
  const wait = (): Promise<boolean> => waitFor(exchange, consent)
  return exchange.whilePaused ? exchange.whilePaused(wait) : wait()
}

async function waitFor(exchange: Signed, consent: Consent): Promise<boolean> {
  const { auth, headers, signal, resolved } = exchange
  const { model } = resolved.target
  const late = AbortSignal.timeout(LONGEST)
  const saying = setInterval(progressOf(exchange), SAY_EVERY)
  try {
    while (!late.aborted) {
      const ended = new AbortController()
      const over = AbortSignal.any([signal, late, ended.signal])
      // Listens first and looks then, so that no change is missed in between.
      const change = consent.changed(auth.principal, model.name, over)
      if (await consent.has(model, { principal: auth.principal, headers })) {
        ended.abort()
        return true
      }
      await change
      signal.throwIfAborted()
    }
    return false
  } finally {
    clearInterval(saying)
  }
}

function progressOf(exchange: Signed): () => void {
  const { _meta } = exchange.params
  const progressToken = isJsonObject(_meta) ? _meta.progressToken : undefined
  let progress = 0
  return () => {
    if (progressToken === undefined) return
    progress++
    const params = { progressToken, progress, message: connectText(exchange) }
    exchange.notify({ method: 'notifications/progress', params })
  }
}
