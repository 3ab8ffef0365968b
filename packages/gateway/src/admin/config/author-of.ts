import type { Caller } from '../handlers.ts'

/** Who asks, in a word. */
export function authorOf({ principal, auth }: Caller): string {
  return auth?.principal ? `${auth.principal.kind}:${auth.principal.subject}` : principal
}
