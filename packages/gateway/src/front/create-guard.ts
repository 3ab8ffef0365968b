import type { Guard } from '@gantry/mcp/server'
import type { BearerGuard } from '@gantry/mcp/guard'
import type { BearerModel, GatewayModel } from '../model/index.ts'
import { apiKeyGuard } from './api-key-guard.ts'
import type { OnRefused } from './log-refusals.ts'

/** Who is let in. `bearer` also says, to anybody, where tokens come from (RFC 9728). */
export interface FrontGuard {
  readonly guard: Guard | undefined
  readonly bearer: BearerGuard | undefined
}

/** Without any authentication the gateway stays on loopback: the configuration refuses everything else. */
export async function createGuard(model: GatewayModel, onRefused: OnRefused): Promise<FrontGuard> {
  const { apiKeys, bearer: settings, required } = model.auth
  const bearer = settings && (await bearerGuard(settings, model, onRefused))
  if (!bearer && apiKeys.length === 0 && !required) return { guard: undefined, bearer: undefined }
  return { guard: apiKeys.length > 0 || !bearer ? apiKeyGuard(apiKeys, onRefused, bearer) : bearer, bearer }
}

/** Verifying tokens takes libraries that most gateways do not need: they are loaded for those that do. */
async function bearerGuard(
  settings: BearerModel,
  model: GatewayModel,
  onRefused: OnRefused,
): Promise<BearerGuard> {
  const { bearer } = await import('@gantry/mcp/guard')
  const { issuer, audience, scopes, jwksUri, introspection, trustedHosts } = settings
  return bearer({
    resource: resourceOf(settings, model),
    issuer,
    audience,
    scopes,
    trustedHosts,
    onRefused: ({ status, reason, path }) => onRefused({ status, reason, path }),
    ...(jwksUri !== undefined && { jwks: jwksUri }),
    ...(introspection && {
      introspection: { ...introspection, clientSecret: introspection.clientSecret.reveal() },
    }),
  })
}

/** What clients call this gateway: tokens are asked for under this name. */
function resourceOf({ audience }: BearerModel, { server }: GatewayModel): string {
  if (server.publicUrl !== undefined) return new URL('/mcp', server.publicUrl).href
  return URL.canParse(audience) ? audience : `http://${server.host}:${server.port}/mcp`
}
