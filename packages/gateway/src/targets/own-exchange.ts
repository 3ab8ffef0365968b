import {
  LATEST_MODERN,
  PlainExchange,
  ownerOf,
  type Exchange,
  type ExchangeInit,
  type Owner,
} from '@gantry/mcp/exchange'
import type { Implementation } from '@gantry/mcp/server'
import { TargetExchange } from './target-exchange.ts'

/** A request of the gateway itself: it carries nothing of any caller. */
export class OwnExchange extends PlainExchange {
  constructor(
    info: Implementation,
    init: Omit<ExchangeInit, 'client'> & Partial<Pick<ExchangeInit, 'client'>>,
  ) {
    super({ client: { info, capabilities: {}, version: LATEST_MODERN }, ...init })
  }
}

/** Whom a message of a target may be shown to that this request caused: nobody for requests of the gateway itself. */
export function callerOf(exchange: Exchange): Owner | undefined {
  const caller = exchange instanceof TargetExchange ? exchange.origin : exchange
  return caller instanceof OwnExchange ? undefined : ownerOf(exchange)
}
