import type { Exchange } from './exchange.ts'

/** What a relay may put in the place of the original's. */
export type ExchangeChanges = Partial<Pick<Exchange, 'params' | 'notify' | 'ask'>>

/**
 * The same request with some parts replaced. Exchanges are classes with getters, which a spread would lose; the
 * signal stays unread until somebody needs it.
 */
export function deriveExchange(exchange: Exchange, changes: ExchangeChanges): Exchange {
  return {
    method: exchange.method,
    params: changes.params ?? exchange.params,
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
    notify: changes.notify ?? ((notification) => exchange.notify(notification)),
    ask: 'ask' in changes ? changes.ask : exchange.ask,
  }
}
