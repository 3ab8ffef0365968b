import { createHash, randomBytes } from 'node:crypto'
import type { Browser as BrowserType, CompanyGateway } from './company.ts'
import { Browser } from './company.ts'
import { modernRequest } from './raw-client.ts'

export const REDIRECT = 'http://127.0.0.1:33418/'
export const CLIENT = {
  client_name: 'Tester',
  redirect_uris: [REDIRECT],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
type Any = any

/** Registers as a client does. */
export async function register(
  { url }: CompanyGateway,
  body: object = CLIENT,
): Promise<{ status: number; json: Any }> {
  const response = await fetch(`${url}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: response.status, json: await response.json() }
}

interface Asked {
  readonly clientId: string
  readonly redirect?: string
  readonly more?: Record<string, string>
}

/** Asks as a client does, and returns where the person was sent in the end. */
export async function authorize(
  gateway: CompanyGateway,
  browser: BrowserType,
  { clientId, redirect = REDIRECT, more = {} }: Asked,
) {
  const verifier = randomBytes(32).toString('base64url')
  const url = new URL(`${gateway.url}/oauth/authorize`)
  const parameters = {
    client_id: clientId,
    redirect_uri: redirect,
    response_type: 'code',
    state: 'the-state',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    resource: `${gateway.url}/mcp`,
    ...more,
  }
  for (const [name, value] of Object.entries(parameters)) if (value !== '') url.searchParams.set(name, value)
  const end = await browser.browse(url.href, (at) => at.startsWith(redirect))
  const answer = end.startsWith(redirect) ? new URL(end).searchParams : new URLSearchParams()
  return { end, answer, verifier, code: answer.get('code') ?? '' }
}

export async function token(
  { url }: CompanyGateway,
  form: Record<string, string>,
  headers: Record<string, string> = {},
) {
  const response = await fetch(`${url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams(form),
    headers,
  })
  return { status: response.status, json: (await response.json()) as Any }
}

/** From registration to tokens. */
export async function signIn(
  gateway: CompanyGateway,
  browser = new Browser(),
  more: Record<string, string> = {},
) {
  const clientId = (await register(gateway)).json.client_id as string
  const { code, verifier } = await authorize(gateway, browser, { clientId, more })
  const form = {
    grant_type: 'authorization_code',
    client_id: clientId,
    code,
    code_verifier: verifier,
    redirect_uri: REDIRECT,
  }
  const answer = await token(gateway, form)
  return { ...answer, clientId, form }
}

export const refresh = (gateway: CompanyGateway, clientId: string, value: string) =>
  token(gateway, { grant_type: 'refresh_token', client_id: clientId, refresh_token: value })

export async function statusWith(
  gateway: CompanyGateway,
  accessToken: string,
  path = '/mcp',
): Promise<number> {
  const headers = { authorization: `Bearer ${accessToken}` }
  return (await modernRequest(gateway.url + path, 'tools/list', {}, { headers })).status
}
