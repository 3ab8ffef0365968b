import { principalKey, type Exchange } from '../../exchange/index.ts'

/** The owner of the tasks that a caller may see: its principal or session. Undefined for anonymous modern callers. */
export function ownerOf({ auth, session }: Pick<Exchange, 'auth' | 'session'>): string | undefined {
  if (auth) return `principal ${principalKey(auth.principal)}`
  return session === undefined ? undefined : ownerOfSession(session)
}

export function ownerOfSession(session: string): string {
  return `session ${session}`
}
