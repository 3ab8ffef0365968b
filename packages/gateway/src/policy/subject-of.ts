import type { Exchange } from '@gantry/mcp/exchange'
import type { Subject } from './is-allowed.ts'

/** The caller of an exchange. API keys come as principals of their own (`key:NAME`). */
export function subjectOf(exchange: Exchange): Subject {
  const { auth } = exchange
  const apiKey = auth?.principal.startsWith('key:') ? auth.principal.slice('key:'.length) : undefined
  return { principal: auth?.principal, scopes: auth?.scopes ?? [], apiKey }
}
