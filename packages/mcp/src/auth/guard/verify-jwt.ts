import {
  decodeJwt,
  decodeProtectedHeader,
  errors,
  jwtVerify,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
} from 'jose'
import type { JsonObject } from '../../jsonrpc/index.ts'
import type { Issuer } from './issuer.ts'
import { invalidToken, type TokenRejected } from './token-rejected.ts'

export interface JwtRules {
  readonly algorithms: readonly string[]
  /** One of these must be in `aud`; undefined: not looked at. */
  readonly audiences: readonly string[] | undefined
  readonly clockToleranceMs: number
  /** Only tokens that say they are access tokens (RFC 9068, `typ: at+jwt`). */
  readonly requireAccessTokenType: boolean
}

/** How many keys may fit the same token, when the token does not say which key signed it. */
const MAX_CANDIDATES = 8

/** The issuer that a JWT names, unverified; undefined for tokens that are no JWT or do not say. */
export function issuerOfJwt(token: string): string | undefined {
  try {
    decodeProtectedHeader(token)
    const { iss } = decodeJwt(token)
    return typeof iss === 'string' ? iss : undefined
  } catch {
    return undefined
  }
}

/** Verifies signature, issuer, audience, times and type; rejects with TokenRejected, or when keys are missing. */
export async function verifyJwt(token: string, issuer: Issuer, rules: JwtRules): Promise<JsonObject> {
  checkType(decodeProtectedHeader(token).typ, rules)
  const keys = await issuer.keys()
  const options: JWTVerifyOptions = {
    issuer: issuer.name,
    algorithms: [...rules.algorithms],
    clockTolerance: rules.clockToleranceMs / 1000,
    requiredClaims: ['exp'],
    ...(rules.audiences && { audience: [...rules.audiences] }),
  }
  try {
    const { payload } = await verifyWithAny(token, keys, options)
    return payload as JsonObject
  } catch (error) {
    throw explain(error)
  }
}

/** Refuses other JWTs of the issuer by `typ`. ID tokens have no `typ`, but their audience is a client. */
function checkType(typ: unknown, rules: JwtRules): void {
  const name = typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : undefined
  if (name === 'at+jwt') return
  if (!rules.requireAccessTokenType && (typ === undefined || name === 'jwt')) return
  throw invalidToken('The token is not an access token')
}

async function verifyWithAny(
  token: string,
  keys: JWTVerifyGetKey,
  options: JWTVerifyOptions,
): Promise<{ payload: JWTPayload }> {
  try {
    return await jwtVerify(token, keys, options)
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error
    let tried = 0
    for await (const key of error) {
      if (++tried > MAX_CANDIDATES) break
      try {
        return await jwtVerify(token, key, options)
      } catch (failure) {
        if (!(failure instanceof errors.JWSSignatureVerificationFailed)) throw failure
      }
    }
    throw new errors.JWSSignatureVerificationFailed()
  }
}

/** Turns an error about the token into an error for the caller. Passes other errors on as they are. */
function explain(error: unknown): TokenRejected | unknown {
  if (error instanceof errors.JWTExpired) return invalidToken('The token has expired', error)
  if (error instanceof errors.JWTClaimValidationFailed) return invalidToken(claimText(error), error)
  if (error instanceof errors.JOSEAlgNotAllowed) {
    return invalidToken('The token is signed with an algorithm that is not accepted here', error)
  }
  if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWSSignatureVerificationFailed) {
    return invalidToken('The signature of the token is not valid', error)
  }
  if (
    error instanceof errors.JWSInvalid ||
    error instanceof errors.JWTInvalid ||
    error instanceof errors.JOSENotSupported
  ) {
    return invalidToken('The token cannot be read', error)
  }
  return error
}

function claimText({ claim, reason }: errors.JWTClaimValidationFailed): string {
  if (reason === 'missing') return `The token has no ${claim} claim`
  if (claim === 'aud') return 'The token was issued for another audience than this server'
  if (claim === 'nbf') return 'The token is not valid yet'
  return `The token has an unacceptable ${claim} claim`
}
