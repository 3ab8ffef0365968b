import { stringArray } from './metadata-document.ts'
import type { AuthServer } from './server-metadata.ts'

/** All scopes of all lists, each once, in order of appearance. */
export function unionScopes(...lists: (readonly string[] | undefined)[]): string[] {
  return [...new Set(lists.flatMap((list) => list ?? []))]
}

export function includesAll(have: readonly string[], want: readonly string[]): boolean {
  return want.every((scope) => have.includes(scope))
}

/**
 * Which scopes to ask for (2026-07-28, "Scope Selection Strategy"): those of the challenge, else those that
 * the user chose, else `scopes_supported` of the resource, else none at all. What was asked for before is
 * kept ("Step-Up Authorization Flow"), and what the user chose is never lost.
 */
export function selectScopes(sources: {
  challenge?: readonly string[] | undefined
  chosen?: readonly string[] | undefined
  supported?: readonly string[] | undefined
  previous?: readonly string[] | undefined
}): string[] {
  const { challenge, chosen, supported, previous } = sources
  const wanted = challenge === undefined && chosen === undefined ? supported : unionScopes(chosen, challenge)
  return unionScopes(previous, wanted)
}

/**
 * `offline_access` may be asked for when the authorization server announces it (2026-07-28, "Refresh
 * Tokens"). Never alone: a request without scopes means the server's default, which must stay so.
 */
export function withOfflineAccess(scopes: readonly string[], server: AuthServer): string[] {
  const supported = stringArray(server.metadata.scopes_supported)
  if (scopes.length === 0 || !supported?.includes('offline_access')) return [...scopes]
  return unionScopes(scopes, ['offline_access'])
}
