import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { isJsonObject, type JsonObject, type Principal } from '@gantry/mcp/exchange'
import { parseJson } from '@gantry/mcp/foreign'
import { bearer, type BearerGuard } from '@gantry/mcp/guard'
import type { GroupsModel, SignInModel } from '../../model/index.ts'
import type { Store } from '../../store/index.ts'
import type { OnRefused } from '../refusal.ts'
import { acceptMetadata } from './client-metadata.ts'
import { Assertions } from './id-jag.ts'
import { Interactions, type InteractionOptions } from './interactions.ts'
import { loadOidcProvider, type OidcProvider } from './oidc-provider.ts'
import { problemPage, sendPage } from './pages.ts'
import { People } from './people.ts'
import { createProvider } from './create-provider.ts'
import { loadSigningKeys, publicPart } from './signing-keys.ts'
import { withGroups } from '../../rules/with-groups.ts'
import { BrowserLogins, personAuth } from './browser-logins.ts'
import { tellRefusals } from './tell-refusals.ts'
import type { OnConsent } from '../consent.ts'
import { IdTokens } from './id-tokens.ts'
import { Upstream, type LoggedIn } from './upstream.ts'

export interface SignInOptions {
  readonly model: SignInModel
  readonly store: Store
  readonly gateway: string
  /** Where groups come from. */
  readonly groups: GroupsModel | undefined
  readonly onRefused: OnRefused
  readonly onConsent: OnConsent
  readonly accountsOf: InteractionOptions['accountsOf']
  readonly log: InteractionOptions['log']
}

interface SignInParts {
  readonly provider: OidcProvider
  readonly people: People
  readonly upstream: Upstream
  readonly guard: BearerGuard
  readonly idTokens: IdTokens | undefined
}

const METADATA = new Set(['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'])
const MAX_REGISTRATION = 56 * 1024
/** How many registrations all callers together may make: each costs a row of the store. */
const REGISTRATIONS = { capacity: 200, perSecond: 2 }

/** Gantry's own authorization server, for identity providers that MCP clients cannot register with. */
export class SignInServer {
  readonly guard: BearerGuard
  /** Logs people in who want to see a page of the gateway. */
  readonly logins: BrowserLogins
  readonly #options: SignInOptions
  readonly #answer: ReturnType<OidcProvider['callback']>
  readonly #interactions: Interactions
  readonly #issuer: URL
  readonly #idTokens: IdTokens | undefined

  private constructor(options: SignInOptions, parts: SignInParts) {
    const { provider, people, upstream, guard, idTokens } = parts
    const { store, gateway, model, log } = options
    this.#options = options
    this.#answer = provider.callback()
    this.#issuer = new URL(model.ownIssuer)
    const isSecure = this.#issuer.protocol === 'https:'
    const toAuth = (person: Parameters<typeof personAuth>[1]) => {
      const auth = personAuth(model.issuer, person)
      return options.groups ? withGroups(auth, options.groups) : auth
    }
    const { accountsOf, onConsent } = options
    this.#idTokens = idTokens
    const loggedIn = async (person: LoggedIn): Promise<void> => idTokens?.keep(person)
    const shared = { upstream, store, isSecure, toAuth, loggedIn, log }
    this.#interactions = new Interactions({ ...shared, provider, people, gateway, accountsOf, onConsent })
    this.logins = new BrowserLogins(shared)
    this.guard = guard
  }

  static async create(options: SignInOptions): Promise<SignInServer> {
    const { model, store } = options
    const [module, keys] = await Promise.all([loadOidcProvider(), loadSigningKeys(store)])
    const people = new People(store, model.issuer, model.lifetime)
    const upstream = new Upstream(model, new URL('/oauth/callback', model.ownIssuer).href)
    const assertions = new Assertions({ module, people, upstream, ...options })
    const provider = createProvider({ module, keys, people, assertions, model, store })
    tellRefusals(provider, options.log)
    const guard = await ownGuard(options, people, publicPart(keys.jwk))
    const idTokens = model.keepsIdTokens ? new IdTokens({ upstream, ...options }) : undefined
    return new SignInServer(options, { provider, people, upstream, guard, idTokens })
  }

  /**
   * The ID token of a person who has signed in here; undefined when there is none, or when it is not valid any more.
   */
  async idTokenOf({ kind, issuer, subject }: Principal): Promise<string | undefined> {
    if (kind !== 'person' || issuer !== this.#options.model.issuer) return undefined
    return this.#idTokens?.of(subject)
  }

  /** Answers what lies under `/oauth/`, and the metadata; false leaves it to others. */
  readonly handle = (request: IncomingMessage, response: ServerResponse, path: string): boolean => {
    if (!path.startsWith('/oauth/') && !METADATA.has(path)) return false
    this.#route(request, response, path).catch((error: unknown) => {
      this.#options.log('warn', 'The sign-in failed', {
        reason: error instanceof Error ? error.message : String(error),
        event: 'sign-in-failed',
      })
      if (response.headersSent) response.destroy()
      else sendPage(response, 500, problemPage('Something went wrong.', 'The log of the gateway says what.'))
    })
    return true
  }

  async #route(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    this.#asOurselves(request)
    if (/^\/oauth\/sign-in\/[\w-]{1,64}$/.test(path)) return this.#interactions.step(request, response)
    if (path === '/oauth/callback') {
      const url = new URL(request.url ?? '/', this.#issuer)
      if (await this.logins.callback(request, response, url)) return
      return this.#interactions.callback(request, response, url)
    }
    if (path === '/oauth/register' && request.method === 'POST') return this.#register(request, response)
    if (path === '/oauth/authorize') this.#addScopes(request)
    return this.#answer(request, response)
  }

  /**
   * A client that asks for no scope gets those that every request needs (RFC 6749, section 3.3). `openid` is there
   * because a grant of nothing is a refusal to oidc-provider, also where a client asks for unknown scopes alone.
   */
  #addScopes(request: IncomingMessage): void {
    const url = new URL(request.url ?? '/', this.#issuer)
    const asked = (url.searchParams.get('scope') ?? '').split(' ').filter((scope) => scope !== '')
    const wanted = asked.length > 0 ? asked : this.#options.model.scopes
    url.searchParams.set('scope', [...new Set([...wanted, 'openid'])].join(' '))
    request.url = url.pathname + url.search
  }

  /**
   * Makes the library use the address of the configuration, whatever the request says about the address that it came
   * by.
   */
  #asOurselves({ headers }: IncomingMessage): void {
    headers.host = this.#issuer.host
    headers['x-forwarded-proto'] = this.#issuer.protocol.slice(0, -1)
    delete headers['x-forwarded-host']
  }

  async #register(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const spent = await this.#options.store.spend({ 'sign-in registrations': REGISTRATIONS })
    if (!spent.granted)
      return refuse(response, 429, 'temporarily_unavailable', 'Too many registrations, try again later')
    const body = await readJson(request)
    if (!body) return refuse(response, 400, 'invalid_client_metadata', 'The body has to be a JSON object')
    const accepted = acceptMetadata(body, this.#options.model.allScopes)
    if (!accepted) {
      const uris = JSON.stringify(body.redirect_uris ?? null).slice(0, 500)
      this.#options.log('warn', 'A client was not registered', {
        reason: `none of its redirect URIs can be accepted: ${uris}`,
        event: 'client-not-registered',
      })
      return refuse(response, 400, 'invalid_redirect_uri', 'None of the redirect URIs can be accepted')
    }
    const bytes = Buffer.from(JSON.stringify(accepted))
    const headers = {
      ...request.headers,
      'content-type': 'application/json',
      'content-length': String(bytes.length),
    }
    delete (headers as Record<string, unknown>)['transfer-encoding']
    const { method, url, socket, httpVersion } = request
    const rewritten = Object.assign(Readable.from([bytes]), { method, url, socket, httpVersion, headers })
    return this.#answer(rewritten as unknown as IncomingMessage, response)
  }
}

/** Accepts the tokens that are issued here. Their holders are people of the identity provider. */
async function ownGuard(
  { model, onRefused }: SignInOptions,
  people: People,
  key: object,
): Promise<BearerGuard> {
  const guard = bearer({
    resource: model.resource,
    issuer: model.ownIssuer,
    jwks: { keys: [key] } as never,
    audience: model.resource,
    scopes: model.scopes,
    requireAccessTokenType: true,
    dpop: 'allowed',
    metadata: { authorization_servers: model.authorizationServers, scopes_supported: model.allScopes },
    onRefused: ({ status, reason, path }) => onRefused({ status, reason, path }),
  })
  const named = async (call: Parameters<BearerGuard>[0]): ReturnType<BearerGuard> => {
    const verdict = await guard(call)
    if (!verdict.ok) return verdict
    const subject = people.subjectOf(verdict.auth.principal.subject)
    if (subject === undefined) {
      onRefused({
        status: 401,
        reason: 'the token is of a person of another identity provider',
        path: call.url,
      })
      return { ok: false, status: 401, headers: { 'www-authenticate': 'Bearer error="invalid_token"' } }
    }
    const principal = Object.freeze({ kind: 'person' as const, issuer: model.issuer, subject })
    return { ...verdict, auth: { ...verdict.auth, principal } }
  }
  const { protectedResource, metadata, metadataPath } = guard
  return Object.assign(named, { protectedResource, metadata, metadataPath })
}

function refuse(response: ServerResponse, status: number, error: string, description: string): void {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
  response.writeHead(status, headers).end(JSON.stringify({ error, error_description: description }))
}

async function readJson(request: IncomingMessage): Promise<JsonObject | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_REGISTRATION) return undefined
    chunks.push(chunk)
  }
  try {
    const value = parseJson(Buffer.concat(chunks).toString('utf8'))
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
