import { isJsonObject } from '../../jsonrpc/index.ts'
import type { AppCsp, AppPermissions } from './app-types.ts'

/** An origin, with `*.` for its subdomains if need be: nothing that could end a directive or open another. */
const ORIGIN = /^(?:https?|wss?):\/\/(?:\*\.)?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?$/i

/** The policy to enforce on a view: closed but for valid declared origins (SEP-1865). */
export function contentSecurityPolicy(csp?: AppCsp): string {
  const resources = origins(csp?.resourceDomains)
  const directives: [string, ...string[]][] = [
    ['default-src', "'none'"],
    ['script-src', "'self'", "'unsafe-inline'", ...resources],
    ['style-src', "'self'", "'unsafe-inline'", ...resources],
    ['img-src', "'self'", 'data:', ...resources],
    ['font-src', "'self'", ...resources],
    ['media-src', "'self'", 'data:', ...resources],
    ['connect-src', ...orElse("'none'", origins(csp?.connectDomains))],
    ['frame-src', ...orElse("'none'", origins(csp?.frameDomains))],
    ['base-uri', ...orElse("'self'", origins(csp?.baseUriDomains))],
    ['object-src', "'none'"],
  ]
  return directives.map((directive) => directive.join(' ')).join('; ')
}

const FEATURES: readonly (readonly [keyof AppPermissions, string])[] = [
  ['camera', 'camera'],
  ['microphone', 'microphone'],
  ['geolocation', 'geolocation'],
  ['clipboardWrite', 'clipboard-write'],
]

/** The `allow` attribute of the view's frame, for the permissions that the host grants. */
export function permissionsPolicy(permissions?: AppPermissions): string {
  return FEATURES.filter(([name]) => isJsonObject(permissions?.[name]))
    .map(([, feature]) => feature)
    .join('; ')
}

function origins(declared: unknown): string[] {
  if (!Array.isArray(declared)) return []
  return declared.filter((origin): origin is string => typeof origin === 'string' && ORIGIN.test(origin))
}

function orElse(closed: string, allowed: string[]): string[] {
  return allowed.length > 0 ? allowed : [closed]
}
