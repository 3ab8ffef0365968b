import type { Caller } from '../handlers.ts'

/** The caller as one word, such as `person:ann`. */
export function authorOf({ principal, auth }: Caller): string {
  return auth?.principal ? `${auth.principal.kind}:${auth.principal.subject}` : principal
}
