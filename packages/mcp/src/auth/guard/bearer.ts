import type { JsonObject } from '../../jsonrpc/index.ts'
import { Authenticator } from './authenticator.ts'
import type { BearerOptions } from './bearer-options.ts'
import { readSettings } from './bearer-settings.ts'
import type { GuardCall, GuardVerdict } from './guard-types.ts'
import { answerMetadata } from './metadata-handlers.ts'
import { type ProtectedResourceDocument, protectedResource } from './protected-resource.ts'
import { Refusals } from './refusals.ts'

/** Lets requests with a good access token through. Give it to `toNodeHandler` or `toFetchHandler`. */
export interface BearerGuard {
  (call: GuardCall): Promise<GuardVerdict>
  readonly protectedResource: ProtectedResourceDocument
  /** The protected-resource metadata (RFC 9728), for routes of your own. */
  readonly metadata: Readonly<JsonObject>
  readonly metadataPath: string
}

/**
 * Protects an MCP server as an OAuth 2.1 resource server: JWTs are verified with the issuer's keys, other tokens
 * by introspection, and a token must have been issued for this server. It fails closed.
 *
 * ```ts
 * const guard = bearer({ resource: 'https://mcp.example.com/mcp', issuer: 'https://auth.example.com' })
 * createServer(toNodeHandler(app, { guard })).listen(3000)
 * ```
 */
export function bearer(options: BearerOptions): BearerGuard {
  const settings = readSettings(options)
  const resource = protectedResource(options, settings)
  const authenticator = new Authenticator(settings, scopeExpander(options.impliedScopes))
  const refusals = new Refusals(settings, resource.url, options.onRefused)
  const challenge = (scopes: readonly string[]) => refusals.forScopes(scopes)
  const guard = async (call: GuardCall): Promise<GuardVerdict> => {
    // Served here as well, so that a server with nothing in front of it is complete.
    const document = answerMetadata(resource, call.method, call.url)
    if (document) return { ok: false, ...document }
    try {
      const auth = await authenticator.authenticate(call)
      return auth === undefined ? refusals.forStranger() : { ok: true, auth, challenge }
    } catch (error) {
      return refusals.forError(error, call)
    }
  }
  return Object.assign(guard, {
    protectedResource: resource,
    metadata: resource.document,
    metadataPath: resource.paths[0]!,
  })
}

/** Adds the scopes that others imply (2026-07-28, "Step-Up Authorization Flow"). */
function scopeExpander(
  implied: Readonly<Record<string, readonly string[]>> | undefined,
): (scopes: readonly string[]) => readonly string[] {
  if (implied === undefined) return (scopes) => scopes
  const table = new Map(Object.entries(implied))
  return (scopes) => {
    const all = new Set(scopes)
    // A Set also yields what is added while it is walked.
    for (const scope of all) for (const narrower of table.get(scope) ?? []) all.add(narrower)
    return [...all]
  }
}
