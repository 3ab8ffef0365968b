import { stringArray } from './metadata-document.ts'
import type { AuthServer } from './server-metadata.ts'

/** All scopes of all lists, each once, in order of appearance. */
export function unionScopes(...lists: (readonly string[] | undefined)[]): string[] {
  return [...new Set(lists.flatMap((list) => list ?? []))]
}

export function includesAll(have: readonly string[], want: readonly string[]): boolean {
  return want.every((scope) => have.includes(scope))
}

/** Which scopes to ask for (2026-07-28, "Scope Selection Strategy" and "Step-Up Authorization Flow"). */
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

/** Adds `offline_access` when announced and other scopes are asked for (2026-07-28, "Refresh Tokens"). */
export function withOfflineAccess(scopes: readonly string[], server: AuthServer): string[] {
  const supported = stringArray(server.metadata.scopes_supported)
  if (scopes.length === 0 || !supported?.includes('offline_access')) return [...scopes]
  return unionScopes(scopes, ['offline_access'])
}
