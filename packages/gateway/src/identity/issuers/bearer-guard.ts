import type { BearerGuard } from '@gantry/mcp/guard'
import { parseJson } from '@gantry/mcp/foreign'
import type { Guard, HttpHead } from '@gantry/mcp/server'
import { schemeOf, type BearerModel, type GatewayModel, type GroupsModel } from '../../model/index.ts'
import { withGroups } from '../../rules/with-groups.ts'
import type { OnRefused } from '../refusal.ts'

/**
 * Lets holders of tokens in, whether a configured issuer or our own server issued them. Undefined when there is no
 * issuer.
 */
export async function bearerGuard(
  model: GatewayModel,
  own: BearerGuard | undefined,
  onRefused: OnRefused,
): Promise<BearerGuard | undefined> {
  const { issuers, groups, signIn } = model.auth
  const others = await Promise.all(
    issuers.map(async (settings) => ({
      issuer: settings.issuer,
      guard: await guardOf(settings, model, onRefused),
      takesOpaque: settings.introspection !== undefined,
    })),
  )
  const ours = own && signIn ? [{ issuer: signIn.ownIssuer, guard: own, takesOpaque: false }] : []
  const [first, ...more] = [...ours, ...others]
  if (!first) return undefined
  const guard = more.length === 0 ? first.guard : issuersGuard([first, ...more])
  return groups ? groupingGuard(guard, groups) : guard
}

function groupingGuard(guard: BearerGuard, groups: GroupsModel): BearerGuard {
  const grouping = async (head: Parameters<BearerGuard>[0]): ReturnType<BearerGuard> => {
    const verdict = await guard(head)
    return verdict.ok ? { ...verdict, auth: withGroups(verdict.auth, groups) } : verdict
  }
  const { protectedResource, metadata, metadataPath } = guard
  return Object.assign(grouping, { protectedResource, metadata, metadataPath })
}

/** Verifying tokens needs libraries, which are loaded only by gateways that accept tokens. */
async function guardOf(
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
    metadata: { authorization_servers: authorizationServers(model) },
    onRefused: ({ status, reason, path }) => onRefused({ status, reason, path }),
    ...(jwksUri !== undefined && { jwks: jwksUri }),
    ...(introspection && {
      introspection: { ...introspection, clientSecret: introspection.clientSecret.reveal() },
    }),
  })
}

function authorizationServers({ auth: { issuers, signIn } }: GatewayModel): string[] {
  return signIn ? [...signIn.authorizationServers] : issuers.map(({ issuer }) => issuer)
}

/** The name of this gateway in requests for tokens. */
function resourceOf({ audience }: BearerModel, { server }: GatewayModel): string {
  if (server.publicUrl !== undefined) return new URL('/mcp', server.publicUrl).href
  return URL.canParse(audience) ? audience : `${schemeOf(server)}://${server.host}:${server.port}/mcp`
}

interface IssuerGuard {
  readonly issuer: string
  readonly guard: BearerGuard
  /** Whether it can tell what tokens are worth that are not JWTs. */
  readonly takesOpaque: boolean
}

/**
 * One guard for several issuers, each with settings of its own. A token goes to the guard of the issuer that it
 * names, and to no other; all guards publish the same metadata.
 */
function issuersGuard(issuers: readonly [IssuerGuard, ...IssuerGuard[]]): BearerGuard {
  const [first] = issuers
  const guards = new Map(issuers.map(({ issuer, guard }) => [issuer, guard]))
  const opaque = issuers.find(({ takesOpaque }) => takesOpaque)?.guard ?? first.guard
  const guard: Guard = (head) => {
    const issuer = issuerIn(head)
    return (issuer === undefined ? opaque : (guards.get(issuer) ?? first.guard))(head)
  }
  const { protectedResource, metadata, metadataPath } = first.guard
  return Object.assign(guard as BearerGuard, { protectedResource, metadata, metadataPath })
}

/** The issuer that the token names, unverified: the guard of that issuer verifies it. */
function issuerIn({ headers }: HttpHead): string | undefined {
  const payload = /^(?:bearer|dpop) +[\w-]+\.([\w-]+)\.[\w-]+ *$/i.exec(headers.authorization ?? '')?.[1]
  if (payload === undefined) return undefined
  try {
    const { iss } = Object(parseJson(Buffer.from(payload, 'base64url').toString('utf8'))) as { iss?: unknown }
    return typeof iss === 'string' ? iss : undefined
  } catch {
    return undefined
  }
}
