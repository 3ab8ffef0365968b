import { randomUUID } from 'node:crypto'
import { principalKey, type Exchange } from '@gantry/mcp/exchange'
import type { Isolation } from '../model/index.ts'

/** Which connection of a target a caller gets. The empty key is the one that everybody shares. */
export function instanceKey(isolation: Isolation, exchange: Exchange): string {
  switch (isolation) {
    case 'auto':
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

const LEGACY = 'legacy|'

/** The key of the same connection in the older era, for a server that speaks both. */
export function legacyKey(key: string): string {
  return LEGACY + key
}

export function isLegacyKey(key: string): boolean {
  return key.startsWith(LEGACY)
}

/** The key without the era. */
export function sameInAuto(key: string): string {
  return key.slice(LEGACY.length)
}

/** Whether a connection belongs to one call. */
export function isCallKey(key: string): boolean {
  return (isLegacyKey(key) ? sameInAuto(key) : key).startsWith('call:')
}

/** Whether a connection belongs to nobody in particular. */
export function isSharedKey(key: string): boolean {
  return key === '' || key === LEGACY
}
