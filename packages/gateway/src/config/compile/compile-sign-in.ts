import { parseUrl } from '@gantry/mcp/foreign'
import {
  accountScopes,
  readSpan,
  schemeOf,
  type BearerModel,
  type ServerModel,
  type SignInModel,
  type TargetModel,
} from '../../model/index.ts'
import type { RawSignIn } from '../raw-config.ts'
import type { CompileContext } from './compile-context.ts'
import { duration } from './compile-server.ts'

export interface SignInSurroundings {
  readonly issuers: readonly BearerModel[]
  readonly trustedHosts: readonly string[]
  readonly server: ServerModel
  readonly targets: readonly TargetModel[]
}

const PATH = ['auth', 'signIn']

export function compileSignIn(
  raw: RawSignIn,
  { issuers, trustedHosts, server, targets }: SignInSurroundings,
  context: CompileContext,
): SignInModel {
  const ownIssuer = originOf(server, context)
  const scopes = raw.scopes ?? []
  return {
    issuer: context.plain(raw.issuer, [...PATH, 'issuer']),
    clientId: context.plain(raw.clientId, [...PATH, 'clientId']),
    clientSecret: context.credential(raw.clientSecret, [...PATH, 'clientSecret']),
    upstreamScopes: raw.upstreamScopes ?? ['openid', 'profile', 'email'],
    ownIssuer,
    resource: `${ownIssuer}/mcp`,
    authorizationServers: [ownIssuer, ...issuers.map(({ issuer }) => issuer)],
    scopes,
    allScopes: [...new Set([...scopes, ...(raw.offeredScopes ?? [])])],
    accountScopes: accountScopes(targets),
    keepsIdTokens: targets.some(wantsIdTokens),
    lifetime: readSpan(raw.lifetime ?? '7d')!,
    accessTokenLifetime: duration(raw.tokenLifetime, '10m'),
    clients: (raw.clients ?? []).map(({ clientId, name, clientSecret, redirectUris }, index) => ({
      clientId,
      name: name ?? clientId,
      clientSecret:
        clientSecret === undefined
          ? undefined
          : context.credential(clientSecret, [...PATH, 'clients', index, 'clientSecret']),
      redirectUris,
    })),
    trustedHosts,
  }
}

/** Whether the target is given tokens for what the identity provider said at the login. */
export function wantsIdTokens({ credentials }: TargetModel): boolean {
  return credentials.kind === 'exchange' && credentials.subject === 'id-token'
}

/** What clients call this gateway stands in tokens and metadata, so it has to be known beforehand. */
function originOf(server: ServerModel, context: CompileContext): string {
  const { publicUrl, host, port, loopback } = server
  const url = publicUrl === undefined ? undefined : parseUrl(publicUrl)
  if (url) return url.origin
  if (!loopback) {
    context.report({
      code: 'invalid-value',
      path: PATH,
      part: 'key',
      message: 'Signing in needs to know what clients call this gateway',
      fix: 'Set "server.publicUrl"',
    })
  }
  return `${schemeOf(server)}://${host.includes(':') ? `[${host}]` : host}:${port}`
}
