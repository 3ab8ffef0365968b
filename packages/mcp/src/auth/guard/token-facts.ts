import type { JsonObject } from '../../jsonrpc/index.ts'
import { isJsonObject } from '../../jsonrpc/index.ts'
import type { Principal } from '../../protocol/index.ts'
import { invalidToken } from './token-rejected.ts'

/** What is known about a token that was found good. The token itself is not part of it. */
export interface TokenFacts {
  readonly principal: Principal
  readonly scopes: readonly string[]
  readonly clientId: string | undefined
  readonly claims: Readonly<JsonObject>
  /** In milliseconds since 1970. */
  readonly expiresAt: number | undefined
  /** Thumbprint of the key that the token is bound to (RFC 9449, section 6). */
  readonly boundTo: string | undefined
}

/** Reads the facts out of claims that were verified. `expand` adds what scopes imply. */
export function toTokenFacts(
  claims: JsonObject,
  issuer: string,
  expand: (scopes: readonly string[]) => readonly string[],
): TokenFacts {
  const clientId = text(claims.client_id) ?? text(claims.azp) ?? text(claims.cid)
  const { exp } = claims
  return Object.freeze({
    principal: principalOf(claims, issuer, clientId),
    scopes: Object.freeze(expand(readScopes(claims))),
    clientId,
    claims: Object.freeze(claims),
    expiresAt: typeof exp === 'number' ? exp * 1000 : undefined,
    boundTo: bindingOf(claims),
  })
}

/**
 * A token without a subject, or whose subject is its client (RFC 9068, section 2.2), speaks for a program. It is
 * no person, even when a person of the issuer has the same subject (RFC 9068, section 5).
 */
function principalOf(claims: JsonObject, issuer: string, clientId: string | undefined): Principal {
  const subject = text(claims.sub) ?? clientId
  if (subject === undefined) throw invalidToken('The token names neither a subject nor a client')
  return Object.freeze({ kind: subject === clientId ? 'workload' : 'person', issuer, subject })
}

/** `scope` by RFC 9068 and RFC 7662; `scp`, as a string or a list, is what some large issuers send. */
function readScopes(claims: JsonObject): string[] {
  const found = claims.scope ?? claims.scp
  if (typeof found === 'string') return found.split(' ').filter((scope) => scope !== '')
  return Array.isArray(found) ? found.filter((scope) => typeof scope === 'string') : []
}

/** A binding that we cannot check must not be ignored: the token would be worth more to a thief than meant. */
function bindingOf({ cnf }: JsonObject): string | undefined {
  if (cnf === undefined || cnf === null) return undefined
  const thumbprint = isJsonObject(cnf) && Object.keys(cnf).length === 1 ? text(cnf.jkt) : undefined
  if (thumbprint === undefined) throw invalidToken('The token is bound in a way that is not supported here')
  return thumbprint
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
