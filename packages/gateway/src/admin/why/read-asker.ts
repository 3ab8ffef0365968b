import { keyPrincipal, type AuthModel } from '../../model/index.ts'
import type { Subject } from '../../policy/concerns.ts'
import { ApiError } from '../api-error.ts'

const FORMS = 'key:NAME, person:SUBJECT or workload:SUBJECT'

/** Reads `KIND:SUBJECT` as people type it. The first word is a kind, and all that follows is the subject. */
export function readAsker(asked: { as?: string; issuer?: string }, { apiKeys, bearer }: AuthModel): Subject {
  if (asked.as === undefined) return undefined
  const [, kind, subject] = /^(key|person|workload):(.+)$/s.exec(asked.as) ?? []
  if (kind === undefined || subject === undefined) {
    throw new ApiError('bad_request', `"${asked.as}" names no caller`, { fix: `Write ${FORMS}.` })
  }
  if (kind === 'key') {
    const key = apiKeys.find(({ name }) => name === subject)
    return { principal: keyPrincipal(subject), scopes: key?.scopes ?? [] }
  }
  const issuer = asked.issuer ?? bearer?.issuer
  return { principal: { kind: kind as 'person' | 'workload', issuer, subject }, scopes: [] }
}
