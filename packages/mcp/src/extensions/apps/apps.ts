import type { ClientFacts } from '../../exchange/index.ts'
import { isJsonObject, McpError } from '../../jsonrpc/index.ts'
import { requireKnownOptions, type FormsOf } from '../../protocol/index.ts'
import type { AnyTool, Context, Registration, ResourceDefinition, Server } from '../../server/index.ts'
import {
  APP_MIME_TYPE,
  APP_SCHEME,
  APPS_EXTENSION,
  type AppCsp,
  type AppLink,
  type AppPermissions,
  type AppView,
} from './app-types.ts'

/** Options of a view, which a resource does not check itself. */
const VIEW_OPTIONS = {
  csp: {
    connectDomains: 'a list',
    resourceDomains: 'a list',
    frameDomains: 'a list',
    baseUriDomains: 'a list',
  } satisfies FormsOf<AppCsp>,
  permissions: {
    camera: 'an object',
    microphone: 'an object',
    geolocation: 'an object',
    clipboardWrite: 'an object',
  } satisfies FormsOf<AppPermissions>,
} as const

export interface AppDefinition
  extends AppView,
    Pick<
      ResourceDefinition,
      'uri' | 'name' | 'title' | 'description' | 'icons' | 'when' | 'scopes' | 'ttl' | 'cacheScope'
    > {
  /** The document, or what makes it for a caller. */
  html: string | ((context: Context) => string | Promise<string>)
}

/**
 * A view as a resource (SEP-1865): with its type, and with its policy where hosts look for it.
 *
 * @example
 * ```ts
 * const app = new Server({
 *   name: 'weather',
 *   resources: [appResource({ uri: 'ui://weather/dashboard', html, csp: { connectDomains: ['https://api.example'] } })],
 *   tools: { forecast: appTool({ run: forecast }, { resourceUri: 'ui://weather/dashboard' }) },
 * })
 * apps(app)
 * ```
 */
export function appResource(definition: AppDefinition): ResourceDefinition {
  const { html, csp, permissions, domain, prefersBorder, ...facts } = definition
  requireKnownOptions('view', VIEW_OPTIONS, { csp, permissions })
  assertViewUri(definition.uri)
  const ui: AppView = {
    ...(csp && { csp }),
    ...(permissions && { permissions }),
    ...(domain !== undefined && { domain }),
    ...(prefersBorder !== undefined && { prefersBorder }),
  }
  const described = Object.keys(ui).length > 0 ? { _meta: { ui } } : {}
  return {
    ...facts,
    mimeType: APP_MIME_TYPE,
    ...described,
    // Not static text: the policy belongs to the content (SEP-1865, UI Resource Format).
    read: async (uri, context) => ({
      uri,
      mimeType: APP_MIME_TYPE,
      text: typeof html === 'function' ? await html(context) : html,
      ...described,
    }),
  }
}

/** Joins a tool to a view. Hosts without views see an ordinary tool, so its content must say everything. */
export function appTool<T extends AnyTool>(tool: T, link: AppLink): T {
  requireKnownOptions('link to a view', { resourceUri: 'text', visibility: 'a list' }, link)
  for (const visibility of link.visibility ?? [])
    requireKnownOptions('link to a view', { visibility: ['model', 'app'] }, { visibility })
  if (link.resourceUri !== undefined) assertViewUri(link.resourceUri)
  return Object.assign(Object.create(Object.getPrototypeOf(tool)), tool, {
    _meta: { ...tool._meta, ui: { ...link } },
  })
}

export function apps(app: Server, views: readonly AppDefinition[] = []): Registration<ResourceDefinition>[] {
  const definitions = views.map(appResource)
  app.extension(APPS_EXTENSION, { mimeTypes: [APP_MIME_TYPE] })
  return definitions.map((definition) => app.resource(definition).resource(definition.uri))
}

/**
 * Whether the caller's host shows views. Fits `when`, which hides tools that are of no use without.
 *
 * @example
 * ```ts
 * const refresh = appTool({ run, when: supportsApps }, { visibility: ['app'] })
 * ```
 */
export function supportsApps(caller: { readonly client: ClientFacts }): boolean {
  const settings = caller.client.capabilities.extensions?.[APPS_EXTENSION]
  const types = isJsonObject(settings) ? settings.mimeTypes : undefined
  return Array.isArray(types) && types.includes(APP_MIME_TYPE)
}

function assertViewUri(uri: string): void {
  if (uri.startsWith(APP_SCHEME) && uri.length > APP_SCHEME.length) return
  throw new McpError('invalid_definition', `The URI of a view begins with ${APP_SCHEME}, unlike "${uri}"`)
}
