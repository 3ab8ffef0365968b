import type { Exchange, JsonObject, Notification } from '@gantry/mcp/exchange'

/** The caller's exchange with other params: what a target is asked. */
export function withParams(
  exchange: Exchange,
  params: JsonObject,
  notify: (notification: Notification) => void = (notification) => exchange.notify(notification),
): Exchange {
  return {
    method: exchange.method,
    params,
    client: exchange.client,
    auth: exchange.auth,
    logLevel: exchange.logLevel,
    serverContext: exchange.serverContext,
    headers: exchange.headers,
    session: exchange.session,
    detach: exchange.detach,
    get signal() {
      return exchange.signal
    },
    notify,
    ask: exchange.ask,
  }
}
