import { parseUrl } from '@gantry/mcp/foreign'
import type { SignInModel } from '../../model/index.ts'

/** The gateway has one audience. Clients name it, its origin, or one of its endpoints. */
export function isOurs(indicator: string, { ownIssuer }: SignInModel): boolean {
  const url = parseUrl(indicator)
  if (!url || url.origin !== parseUrl(ownIssuer)?.origin || url.search !== '') return false
  return /^\/(?:$|mcp(?:\/|$)|sse$)/.test(url.pathname)
}

/** The properties of tokens for the gateway, for oidc-provider. */
export function resourceFacts(model: SignInModel): object {
  return {
    scope: [...model.allScopes, ...model.accountScopes].join(' '),
    audience: model.resource,
    accessTokenTTL: Math.ceil(model.accessTokenLifetime / 1000),
    accessTokenFormat: 'jwt',
    jwt: { sign: { alg: 'ES256' } },
  }
}
