import type { AuthInfo, ClientFacts, Exchange } from '../exchange/index.ts'

/** What may decide whether a caller sees something. */
export interface Caller {
  readonly auth: AuthInfo | undefined
  readonly client: ClientFacts
  readonly serverContext: unknown
}

/** Hides a definition from its list **and** refuses its use, as if it did not exist. */
export interface Visibility {
  when?: (caller: Caller) => boolean
  /** Scopes that the caller's token must have. */
  scopes?: readonly string[]
}

export function isRestricted(definition: Visibility): boolean {
  return definition.when !== undefined || (definition.scopes !== undefined && definition.scopes.length > 0)
}

export function isVisible(definition: Visibility, exchange: Exchange): boolean {
  const { scopes, when } = definition
  if (scopes?.some((scope) => !exchange.auth?.scopes.includes(scope))) return false
  return when === undefined || when(callerOf(exchange))
}

export function callerOf(exchange: Exchange): Caller {
  return { auth: exchange.auth, client: exchange.client, serverContext: exchange.serverContext }
}
