import { parseUrl } from '@gantry/mcp/foreign'
import {
  accountScopes,
  schemeOf,
  type BearerModel,
  type ServerModel,
  type SignInModel,
  type SignInSettings,
  type TargetModel,
} from '../../model/index.ts'
import type { Section } from './section.ts'

export interface SignInSurroundings {
  readonly issuers: readonly BearerModel[]
  readonly trustedHosts: readonly string[]
  readonly server: ServerModel
  readonly targets: readonly TargetModel[]
}

export function compileSignIn(
  section: Section<SignInSettings>,
  { issuers, trustedHosts, server, targets }: SignInSurroundings,
): SignInModel {
  const ownIssuer = originOf(server, section)
  const { upstreamScopes, scopes, offeredScopes, lifetime, tokenLifetime } = section.value
  return {
    issuer: section.plain('issuer'),
    clientId: section.plain('clientId'),
    clientSecret: section.credential('clientSecret'),
    upstreamScopes,
    ownIssuer,
    resource: `${ownIssuer}/mcp`,
    authorizationServers: [ownIssuer, ...issuers.map(({ issuer }) => issuer)],
    scopes,
    allScopes: [...new Set([...scopes, ...offeredScopes])],
    accountScopes: accountScopes(targets),
    keepsIdTokens: targets.some(wantsIdTokens),
    lifetime,
    accessTokenLifetime: tokenLifetime,
    clients: section
      .at('clients')
      .each()
      .map((client) => {
        const { clientId, name = clientId, redirectUris } = client.value
        return { clientId, name, clientSecret: client.credential('clientSecret'), redirectUris }
      }),
    trustedHosts,
  }
}

/** Whether the target's tokens are exchanged for ID tokens, which the gateway then keeps from the login. */
export function wantsIdTokens({ credentials }: TargetModel): boolean {
  return credentials.kind === 'exchange' && credentials.subject === 'id-token'
}

/** Tokens and metadata name the address that clients use for this gateway, so it has to be known before the start. */
function originOf(server: ServerModel, section: Section<SignInSettings>): string {
  const { publicUrl, host, port, loopback } = server
  const url = publicUrl === undefined ? undefined : parseUrl(publicUrl)
  if (url) return url.origin
  if (!loopback) {
    section.report({
      code: 'invalid-value',
      part: 'key',
      message: 'Signing in needs to know what clients call this gateway',
      fix: 'Set "server.publicUrl"',
    })
  }
  return `${schemeOf(server)}://${host.includes(':') ? `[${host}]` : host}:${port}`
}
