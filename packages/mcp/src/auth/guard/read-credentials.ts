import { TokenRejected } from './token-rejected.ts'

export interface Credentials {
  readonly scheme: 'bearer' | 'dpop'
  readonly token: string
}

/** `b64token` of RFC 6750, section 2.1: covers JWTs and every opaque token that may be sent. */
const TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/
/** Tokens travel in a header, and servers bound those; a longer one is not worth a signature check. */
const MAX_TOKEN_LENGTH = 16_384

/**
 * Reads `Authorization`. Undefined when there are no credentials of our kinds; tokens in the query string
 * are never looked for (2026-07-28, "Token Requirements").
 */
export function readCredentials(header: string | undefined): Credentials | undefined {
  const [scheme = '', token = '', ...rest] = (header ?? '').trim().split(/ +/)
  const name = scheme.toLowerCase()
  if (name !== 'bearer' && name !== 'dpop') return undefined
  if (rest.length > 0 || token.length > MAX_TOKEN_LENGTH || !TOKEN.test(token)) {
    throw new TokenRejected('invalid_request', 'The Authorization header is malformed')
  }
  return { scheme: name, token }
}
