import type { JsonObject } from '../../jsonrpc/index.ts'
import { resourceMetadataUrls } from '../discovery/resource-metadata.ts'
import type { BearerOptions } from './bearer-options.ts'
import type { BearerSettings } from './bearer-settings.ts'

/** The metadata that the server publishes about itself (RFC 9728), and its path. */
export interface ProtectedResourceDocument {
  readonly document: Readonly<JsonObject>
  readonly json: string
  readonly url: string
  /** Paths at which the document is served: first the path for the resource, then the path for the origin. */
  readonly paths: readonly string[]
}

export function protectedResource(
  options: BearerOptions,
  settings: BearerSettings,
): ProtectedResourceDocument {
  const { scopes, dpopMode, dpopAlgorithms } = settings
  // Refresh tokens are no business of the resource (2026-07-28, "Refresh Tokens").
  const supported = scopes.filter((scope) => scope !== 'offline_access')
  const document: JsonObject = {
    resource: options.resource,
    authorization_servers: [...settings.issuers.keys()],
    ...(supported.length > 0 && { scopes_supported: supported }),
    bearer_methods_supported: ['header'],
    ...(dpopMode !== 'off' && { dpop_signing_alg_values_supported: [...dpopAlgorithms] }),
    ...(dpopMode === 'required' && { dpop_bound_access_tokens_required: true }),
    ...options.metadata,
  }
  const places = resourceMetadataUrls(settings.resource)
  return {
    document,
    json: JSON.stringify(document),
    url: options.metadataUrl ?? places[0]!.href,
    paths: places.map(({ pathname }) => pathname),
  }
}
