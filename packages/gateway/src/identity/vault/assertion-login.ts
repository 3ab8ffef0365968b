import { McpError } from '@gantry/mcp/client'
import { principalKey, type Principal } from '@gantry/mcp/exchange'
import {
  memoryStorage,
  oauth,
  type OAuthOptions,
  type OAuthProvider,
  type TokenStorage,
} from '@gantry/mcp/auth'
import { reveal, secretsIn, type ExchangeModel, type OAuthModel, type UrlTarget } from '../../model/index.ts'
import type { TokenExchangeOptions } from './token-exchange.ts'

/**
 * The login of one person at a target by an assertion (enterprise-managed authorization): the identity provider makes
 * an ID-JAG of the person's ID token, and the authorization server that the target names gives an access token for it.
 * No person is asked, and nothing is kept beyond this process.
 */
export function assertionLogin(
  { url, oauth: settings }: UrlTarget,
  { tokenUrl, clientId, clientSecret }: ExchangeModel,
  { principal, idTokenOf, learnSecret }: TokenExchangeOptions & { readonly principal: Principal },
): OAuthProvider {
  const idToken = async (): Promise<string> => {
    const found = await idTokenOf(principal)
    if (found === undefined)
      throw new McpError('unauthorized', 'The caller has no ID token, or none any more')
    learnSecret(found)
    return found
  }
  const secret = clientSecret && { clientSecret: clientSecret.reveal() }
  return oauth({
    ...clientOf(settings!),
    serverUrl: reveal(url),
    storage: learning(learnSecret),
    account: principalKey(principal),
    grant: { type: 'enterprise', idp: { tokenEndpoint: tokenUrl, clientId, idToken, ...secret } },
  })
}

/** The gateway as a client of the target's authorization server. */
export function clientOf(settings: OAuthModel): OAuthOptions {
  const { clientId, clientSecret, privateKey, scopes, tokenEndpointAuthMethod, trustedHosts } = settings
  return {
    trustedHosts,
    ...(clientId !== undefined && { clientId }),
    ...(clientSecret && { clientSecret: clientSecret.reveal() }),
    ...(privateKey && { privateKey: { key: privateKey.reveal() } }),
    ...(tokenEndpointAuthMethod && { tokenEndpointAuthMethod }),
    ...(scopes.length > 0 && { scopes }),
  }
}

function learning(learnSecret: TokenExchangeOptions['learnSecret']): TokenStorage {
  const storage = memoryStorage()
  return {
    ...storage,
    write(key, value) {
      for (const secret of secretsIn(value)) learnSecret(secret)
      return storage.write(key, value)
    },
  }
}
