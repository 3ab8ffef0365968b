import { principalKey, type Exchange } from '../../exchange/index.ts'

/**
 * Whose tasks the caller may see: those of its principal, or of its session where nobody signs in. Undefined for
 * anonymous modern callers, which no request can be told from another by: to them the id is all it takes.
 */
export function ownerOf({ auth, session }: Pick<Exchange, 'auth' | 'session'>): string | undefined {
  if (auth) return `principal ${principalKey(auth.principal)}`
  return session === undefined ? undefined : ownerOfSession(session)
}

export function ownerOfSession(session: string): string {
  return `session ${session}`
}
