import { keyPrincipal, type AuthModel } from '../model/index.ts'
import type { Subject } from './facts.ts'
import { withGroups } from './with-groups.ts'

export interface AskedCaller {
  /** `KIND:SUBJECT`; undefined: a caller without credentials. */
  readonly as?: string | undefined
  readonly issuer?: string | undefined
  readonly claims?: Readonly<Record<string, unknown>> | undefined
  readonly scopes?: readonly string[] | undefined
  readonly clientId?: string | undefined
}

/** How people name a caller. */
export const CALLER_FORMS = 'key:NAME, person:SUBJECT or workload:SUBJECT'

/** Reads a caller as people type it: the first word is a kind, and all that follows is the subject. */
export function readCaller(
  { as, issuer, claims = {}, scopes, clientId }: AskedCaller,
  { apiKeys, issuers, signIn, groups }: AuthModel,
): { readonly ok: true; readonly subject: Subject } | { readonly ok: false } {
  if (as === undefined) return { ok: true, subject: undefined }
  const [, kind, subject] = /^(key|person|workload):(.+)$/s.exec(as) ?? []
  if (kind === undefined || subject === undefined) return { ok: false }
  const more = { claims, ...(clientId !== undefined && { clientId }) }
  if (kind === 'key') {
    const granted = scopes ?? apiKeys.find(({ name }) => name === subject)?.scopes ?? []
    return { ok: true, subject: { principal: keyPrincipal(subject), scopes: granted, ...more } }
  }
  const principal = {
    kind: kind as 'person' | 'workload',
    issuer: issuer ?? signIn?.issuer ?? issuers[0]?.issuer,
    subject,
  }
  return { ok: true, subject: withGroups({ principal, scopes: scopes ?? [], ...more }, groups) }
}
