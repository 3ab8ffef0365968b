import { createServer } from 'node:http'
import { exportJWK, generateKeyPair } from 'jose'

/** The key that the company signs with. */
export const signingKey = generateKeyPair('RS256', { extractable: true }).then(({ privateKey }) =>
  exportJWK(privateKey),
)

/**
 * The company's identity provider: a real OpenID provider that knows the gateway, and no MCP client.
 *
 * @param {string} redirectUri
 * @param {(sub: string) => object} [claimsOf]
 * @returns {Promise<{ issuer: string, close(): Promise<void> }>}
 */
export async function startCompany(
  redirectUri,
  claimsOf = (sub) => ({ email: `${sub}@example.com`, groups: ['staff'] }),
) {
  const { default: Provider } = await import('oidc-provider')
  const server = createServer()
  await new Promise((done) => server.listen(0, '127.0.0.1', done))
  const issuer = `http://127.0.0.1:${server.address().port}`
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'gantry',
        client_secret: 'hush-hush',
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code', 'refresh_token'],
      },
    ],
    issueRefreshToken: () => true,
    jwks: { keys: [await signingKey] },
    claims: { openid: ['sub', 'groups'], email: ['email'], profile: ['name'] },
    conformIdTokenClaims: false,
    ttl: { Interaction: 600, Session: 600, Grant: 600, IdToken: 600, AccessToken: 600 },
    findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ sub, ...claimsOf(sub) }) }),
  })
  server.on('request', provider.callback())
  return {
    issuer,
    async close() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}
