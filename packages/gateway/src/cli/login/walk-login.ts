import { createHash, randomBytes } from 'node:crypto'
import type { JsonObject } from '@gantry/mcp/exchange'
import { parseUrl } from '@gantry/mcp/foreign'
import { ask, first, problemIn, readJson, SEE_LOG, Stopped } from './ask-server.ts'
import { followPerson } from './follow-person.ts'
import type { LoginClient } from './login-clients.ts'

export interface LoginStep {
  readonly step: string
  readonly ok: boolean
  /** The answer, or the fault. */
  readonly found: string
  /** Advice for the operator. */
  readonly fix?: string
}

/**
 * Does what a client does to sign a person in, up to the page that the person sees, and says how each step ended. A
 * step that fails is the last one: the client would stop there too.
 */
export async function* walkLogin(endpoint: string, client: LoginClient): AsyncGenerator<LoginStep> {
  const facts: Facts = { endpoint, client, resource: {}, server: {}, clientId: '', page: undefined }
  for (const [step, run] of STEPS) {
    try {
      yield { step, ok: true, found: await run(facts) }
    } catch (error) {
      const found = error instanceof Error ? reasonOf(error) : String(error)
      const fix = error instanceof Stopped ? error.fix : 'Check that the address is right and can be reached.'
      return yield { step, ok: false, found, fix }
    }
  }
}

interface Facts {
  readonly endpoint: string
  readonly client: LoginClient
  challenge?: string
  resource: JsonObject
  server: JsonObject
  clientId: string
  /** Where the person is sent first. */
  page: URL | undefined
}

const STEPS: readonly (readonly [string, (facts: Facts) => Promise<string>])[] = [
  ['refusal', refusal],
  ['resource metadata', resourceMetadata],
  ['server metadata', serverMetadata],
  ['registration', registration],
  ['authorization', authorization],
  ['login', ({ page, endpoint }) => followPerson(page!, endpoint)],
  ['token', token],
]

async function refusal(facts: Facts): Promise<string> {
  const response = await ask(facts.endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: facts.client.registration.client_name, version: '1' },
      },
    }),
  })
  if (response.status !== 401) {
    throw new Stopped(
      `a request without a token is answered with ${response.status}, and not with 401`,
      response.status < 300
        ? 'The gateway asks nobody who they are. Set "auth.signIn" or "auth.bearer".'
        : 'Check the address: MCP is at /mcp.',
    )
  }
  facts.challenge = response.headers.get('www-authenticate') ?? ''
  return `401, ${facts.challenge === '' ? 'without a challenge' : facts.challenge}`
}

/** RFC 9728: where the challenge says, else under the path of the endpoint, else at the root. */
async function resourceMetadata(facts: Facts): Promise<string> {
  const { endpoint, client, challenge = '' } = facts
  const { origin, pathname } = parseUrl(endpoint)!
  const named = /resource_metadata="([^"]+)"/.exec(challenge)?.[1]
  const known = `${origin}/.well-known/oauth-protected-resource`
  const { url, json } = await first(named === undefined ? [known + pathname, known] : [named], {
    what: 'protected resource metadata',
    fix: 'Set "auth.signIn" or "auth.bearer"; keys alone do not lead people to a login.',
  })
  const { resource } = json
  if (client.comparesResource && (typeof resource !== 'string' || !covers(resource, endpoint))) {
    throw new Stopped(
      `it is about ${JSON.stringify(resource)}, and the client was given ${endpoint}`,
      'Set "server.publicUrl" to the origin that people type into their client.',
    )
  }
  facts.resource = json
  return `${url}: ${String(resource)}`
}

/** RFC 8414 and OpenID Connect, in the order of the specification of MCP. */
async function serverMetadata(facts: Facts): Promise<string> {
  const [issuer] = Array.isArray(facts.resource.authorization_servers)
    ? facts.resource.authorization_servers
    : []
  const url = typeof issuer === 'string' ? parseUrl(issuer) : undefined
  if (!url) {
    throw new Stopped('the resource names no authorization server', 'Set "auth.signIn" or "auth.bearer".')
  }
  const path = url.pathname.replace(/\/$/, '')
  const places = [
    `${url.origin}/.well-known/oauth-authorization-server${path}`,
    `${url.origin}/.well-known/openid-configuration${path}`,
    ...(path === '' ? [] : [`${url.origin}${path}/.well-known/openid-configuration`]),
  ]
  const { json, url: place } = await first(places, {
    what: 'metadata of the authorization server',
    fix: 'Check "issuer": it is the address under which the identity provider publishes its metadata.',
  })
  for (const name of ['authorization_endpoint', 'token_endpoint']) {
    if (parseUrl(String(json[name])) === undefined)
      throw new Stopped(`${place} has no ${name} that is an address`, USE_SIGN_IN)
  }
  if (json.issuer !== issuer) {
    const fix = 'Write "issuer" exactly as the metadata has it, down to the slash at the end.'
    throw new Stopped(`it is the metadata of ${JSON.stringify(json.issuer)}, and not of ${issuer}`, fix)
  }
  if (!listOf(json.code_challenge_methods_supported).includes('S256')) {
    throw new Stopped('it does not offer PKCE with S256, without which clients stop', USE_SIGN_IN)
  }
  facts.server = json
  return `${place}: PKCE${listOf(json.grant_types_supported).includes('refresh_token') ? ', refresh tokens' : ''}`
}

const USE_SIGN_IN =
  'MCP clients cannot use this authorization server. Put the gateway in between: "auth.signIn".'

async function registration(facts: Facts): Promise<string> {
  const { server, client } = facts
  if (server.client_id_metadata_document_supported === true && client.metadataDocument !== undefined) {
    facts.clientId = client.metadataDocument
    return `not needed: ${client.title} names its metadata document ${client.metadataDocument}`
  }
  const { registration_endpoint: endpoint } = server
  if (typeof endpoint !== 'string') {
    throw new Stopped(
      'there is no way for the client to become known: no registration, and no metadata documents',
      USE_SIGN_IN,
    )
  }
  const response = await ask(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify(client.registration),
  })
  const json = await readJson(response)
  if (response.status !== 201 && response.status !== 200) {
    throw new Stopped(`${endpoint} answers ${response.status} ${problemIn(json)}`, SEE_LOG)
  }
  if (typeof json?.client_id !== 'string') throw new Stopped('the answer has no client_id', USE_SIGN_IN)
  facts.clientId = json.client_id
  return `registered as ${json.client_id}`
}

/** Every redirect that the client uses has to lead to a page for a person, and not to an error. */
async function authorization(facts: Facts): Promise<string> {
  const { server, client, resource } = facts
  for (const redirect of client.redirects) {
    const url = parseUrl(String(server.authorization_endpoint))!
    const scopes =
      /scope="([^"]*)"/.exec(facts.challenge ?? '')?.[1] ?? listOf(resource.scopes_supported).join(' ')
    const parameters = {
      response_type: 'code',
      client_id: facts.clientId,
      redirect_uri: redirect,
      state: randomBytes(16).toString('base64url'),
      code_challenge: createHash('sha256').update(randomBytes(32)).digest('base64url'),
      code_challenge_method: 'S256',
      resource: String(resource.resource ?? facts.endpoint),
      ...(scopes !== '' && { scope: scopes }),
    }
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
    facts.page ??= url
    const response = await ask(url.href, { redirect: 'manual' })
    const to = response.headers.get('location')
    const back = to?.startsWith(redirect) ? parseUrl(to)?.searchParams : undefined
    if (back?.has('error')) {
      throw new Stopped(
        `the client gets back ${back.get('error')}: ${back.get('error_description') ?? ''}`,
        SEE_LOG,
      )
    }
    if (response.status >= 400) {
      throw new Stopped(
        `the person sees an error (${response.status}) instead of a login, with the redirect to ${redirect}`,
        'The client or this redirect is not accepted. The log of the authorization server says why.',
      )
    }
  }
  return `the client is let in, with ${client.redirects.length} ways back`
}

/** Sends a made-up code. A token endpoint that knows the client refuses the code and not the client. */
async function token(facts: Facts): Promise<string> {
  const response = await ask(facts.server.token_endpoint as string, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: facts.clientId,
      code: 'made-up',
      code_verifier: 'v'.repeat(43),
      redirect_uri: facts.client.redirects[0]!,
    }),
  })
  const json = await readJson(response)
  if (json?.error !== 'invalid_grant') {
    throw new Stopped(
      `a made-up code is answered with ${response.status} ${problemIn(json)}, and not with invalid_grant`,
      'The token endpoint does not take this client. The log of the authorization server says why.',
    )
  }
  return 'it takes this client; a made-up code is refused'
}

function covers(resource: string, endpoint: string): boolean {
  const [wide, narrow] = [parseUrl(resource), parseUrl(endpoint)]
  if (!wide || !narrow || wide.origin !== narrow.origin) return false
  const path = wide.pathname.replace(/\/$/, '')
  return narrow.pathname === path || narrow.pathname.startsWith(`${path}/`)
}

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}

function reasonOf(error: Error): string {
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}
