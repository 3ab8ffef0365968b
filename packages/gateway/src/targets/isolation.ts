import { randomUUID } from 'node:crypto'
import { principalKey, type Exchange } from '@gantry/mcp/exchange'
import type { Isolation } from '../model/index.ts'

/** Which connection of a target a caller gets. The empty key is the one that everybody shares. */
export function instanceKey(isolation: Isolation, exchange: Exchange): string {
  switch (isolation) {
    case 'shared':
      return ''
    case 'user':
      return `user:${principalKey(exchange.auth?.principal)}`
    case 'session':
      // Modern requests have no session: what they share is their principal.
      return exchange.session === undefined
        ? `user:${principalKey(exchange.auth?.principal)}`
        : `session:${exchange.session}`
    case 'call':
      return `call:${randomUUID()}`
  }
}
