import {
  allowInsecureRequests,
  customFetch,
  processRevocationResponse,
  revocationRequest,
} from 'oauth4webapi'
import { clientAuthentication } from './client-authentication.ts'
import type { RegistrationContext } from './client-registration.ts'
import type { AuthServer } from './server-metadata.ts'
import type { TokenSet } from './token-set.ts'

/** Revokes the refresh token and the access token (RFC 7009). A failure is traced; the user is signed out. */
export async function revokeTokens(
  tokens: TokenSet,
  findServer: () => Promise<AuthServer>,
  context: RegistrationContext,
): Promise<void> {
  const { http, step, options } = context
  try {
    const server = await findServer()
    const url = server.metadata.revocation_endpoint
    if (url === undefined) return step({ step: 'signed-out', outcome: 'absent', url: server.issuer })
    const authentication = await clientAuthentication(tokens.client, server, options.privateKey)
    const client = { client_id: tokens.client.clientId }
    for (const hint of ['refresh_token', 'access_token'] as const) {
      const token = hint === 'refresh_token' ? tokens.refreshToken : tokens.accessToken
      if (token === undefined) continue
      const response = await revocationRequest(server.metadata, client, authentication, token, {
        additionalParameters: { token_type_hint: hint },
        [customFetch]: http.sender('The revocation endpoint'),
        [allowInsecureRequests]: true,
      })
      await processRevocationResponse(response)
    }
    step({ step: 'signed-out', outcome: 'ok', url })
  } catch (thrown) {
    step({ step: 'signed-out', outcome: 'failed', reason: (thrown as Error).message })
  }
}
