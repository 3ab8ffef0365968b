import { signingKey, startCompany as startProvider } from '../../scripts/lib/company.mjs'

export { signingKey }

/** A realm of Keycloak that is the company instead (`npm run interop -- keycloak`). */
const KEYCLOAK: string | undefined = process.env.GANTRY_KEYCLOAK

/** The company's identity provider: a real OpenID provider that knows the gateway, and no MCP client. */
export async function startCompany(
  redirectUri: string,
  claimsOf?: (sub: string) => object,
): Promise<{ issuer: string; close(): Promise<void> }> {
  if (KEYCLOAK !== undefined) return { issuer: KEYCLOAK, close: async () => {} }
  return startProvider(redirectUri, claimsOf)
}

/** A person at a browser in small: cookies, redirects and forms. Cookies of a host reach all its ports, as they do. */
export class Browser {
  readonly cookies = new Map<string, string>()
  readonly login: string
  /** What the consent page said. */
  readonly pages: string[] = []
  /** What is pressed on the consent page; `nothing` leaves it open. */
  answer: 'allow' | 'deny' | 'nothing' = 'allow'
  /** Whether accounts that the consent page lists are connected before it is answered. */
  connects = false
  /** What is pasted where a page asks for a key. */
  secret = ''

  constructor(login = 'ann') {
    this.login = login
  }

  async get(url: string, form?: URLSearchParams): Promise<Response> {
    const path = new URL(url).pathname
    const cookie = [...this.cookies]
      .filter(([key]) => path.startsWith(key.split(' ')[1]!))
      .map(([key, value]) => `${key.split(' ')[0]}=${value}`)
      .join('; ')
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie, 'sec-fetch-mode': 'navigate' },
      ...(form !== undefined && { method: 'POST', body: form }),
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      const at = /; *path=([^;]+)/i.exec(line)?.[1] ?? '/'
      if (value === '') this.cookies.delete(`${name} ${at}`)
      else this.cookies.set(`${name} ${at}`, value)
    }
    return response
  }

  /** Follows and fills in everything until `isEnd` knows the address, or a page has nothing to press. */
  async browse(start: string, isEnd: (url: string) => boolean): Promise<string> {
    let url = start
    let form: URLSearchParams | undefined
    for (let hop = 0; hop < 80; hop++) {
      if (isEnd(url)) return url
      const response = await this.get(url, form)
      form = undefined
      const location = response.headers.get('location')
      const page = await response.text()
      if (location !== null) {
        url = URL.canParse(location) ? location : new URL(location, url).href
      } else if (page.includes('name="prompt"')) {
        const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1] ?? ''
        form = new URLSearchParams({ prompt, login: this.login, password: 'any' })
      } else if (page.includes('id="kc-form-login"')) {
        form = new URLSearchParams({ username: this.login, password: 'any' })
        url = /action="([^"]+)"/.exec(page)![1]!.replaceAll('&amp;', '&')
      } else if (page.includes('Who are you?')) {
        url = new URL(/href="(\/connect\/sign-in\?[^"]+)"/.exec(page)![1]!, url).href
      } else if (page.includes('name="proof"')) {
        this.pages.push(page)
        const account = this.connects ? /href="(\/connect\/sign-in[^"]+)"/.exec(page)?.[1] : undefined
        if (account !== undefined) {
          url = new URL(account, url).href
          continue
        }
        if (this.answer === 'nothing') return url
        form = new URLSearchParams({
          proof: /name="proof" value="([^"]+)"/.exec(page)![1]!,
          answer: this.answer,
        })
        for (const [, name] of page.matchAll(/name="(secret [^"]+)"/g)) form.set(name!, this.secret)
        url = new URL(/action="([^"]+)"/.exec(page)![1]!, url).href
      } else {
        this.pages.push(page)
        return `${response.status} ${url}`
      }
    }
    throw new Error('The pages go round in circles')
  }
}
