import { parseUrl } from '@gantry/mcp/foreign'
import { ask, SEE_LOG, Stopped } from './ask-server.ts'

/** From the client to the page to log in on. */
const MAX_HOPS = 10

/** Follows the person up to the login page, which is usually a page of an identity provider. */
export async function followPerson(page: URL, endpoint: string): Promise<string> {
  const cookies = new Map<string, string>()
  let url = page
  for (let hop = 0; hop < MAX_HOPS; hop++) {
    const cookie = [...cookies].filter(([key]) => key.startsWith(`${url.host} `)).map(([, pair]) => pair)
    const response = await ask(url.href, { redirect: 'manual', headers: { cookie: cookie.join('; ') } })
    for (const line of response.headers.getSetCookie()) {
      const pair = line.split(';', 1)[0]!
      cookies.set(`${url.host} ${pair.split('=', 1)[0]}`, pair)
    }
    const to = response.headers.get('location')
    await response.body?.cancel()
    if (to === null && response.ok) return `a page at ${url.host}`
    if (to === null) throw noPage(url, response.status, parseUrl(endpoint)?.host)
    const next = parseUrl(to, url)
    if (!next) throw new Stopped(`${url.host} sends the person to something that is not an address`, SEE_LOG)
    const back = next.searchParams.get('error')
    if (back !== null && !next.protocol.startsWith('http'))
      throw new Stopped(`the client gets back ${back}`, SEE_LOG)
    if (back !== null && next.pathname === '/oauth/callback') {
      const said = next.searchParams.get('error_description') ?? ''
      throw new Stopped(
        `${url.host} sends the person back with ${back}: ${said}`,
        'Compare "auth.signIn" with the client at the identity provider: its id, scopes and grants.',
      )
    }
    url = next
  }
  throw new Stopped(`the person is sent on ${MAX_HOPS} times, the last time to ${url.host}`, SEE_LOG)
}

function noPage({ host }: URL, status: number, gateway: string | undefined): Stopped {
  if (host === gateway) {
    const fix = 'Check that "auth.signIn.issuer" is the address of the identity provider. The log says more.'
    return new Stopped(`the person sees an error of the gateway (${status}) instead of a login`, fix)
  }
  return new Stopped(
    `the person sees an error of ${host} (${status}) instead of a login`,
    'Register the gateway there, with the client id of "auth.signIn" and the redirect URI "PUBLIC-URL/oauth/callback".',
  )
}
