import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AuthInfo, JsonObject } from '@gantry/mcp/exchange'
import { cookieOf, digest, isSameSecret } from '../secret-texts.ts'
import type { Rows, Store } from '../../store/index.ts'
import { problemPage, sendPage } from './pages.ts'
import type { LoggedIn, PendingLogin, Person, Upstream } from './upstream.ts'

export interface BrowserLoginOptions {
  readonly upstream: Upstream
  readonly store: Store
  readonly isSecure: boolean
  /** The principal of a person, with scopes and groups. */
  toAuth(person: Person): AuthInfo
  /** Told of every person who has logged in. */
  loggedIn(person: LoggedIn): Promise<void>
  log(level: 'info' | 'warn', message: string, facts?: Record<string, unknown>): void
}

interface Begun extends PendingLogin {
  readonly browser: string
  readonly to: Destination
}

/** Where the browser goes when it is known who is there. */
export interface Destination {
  /** A path of the gateway that takes the ticket, with `redeem`. */
  readonly landing: string
  /** The page that the person wanted to see. */
  readonly page: string
}

/** A person who has logged in. It can be redeemed once. */
interface Ticket {
  readonly auth: AuthInfo
  readonly browser: string
  readonly page: string
}

const LOGIN_TIME = 10 * 60_000
const TICKET_TIME = 60_000
const COOKIE = 'gantry-browser-login'
const AGAIN = 'Go back to the page that you wanted to see.'

/** People who log in at the identity provider to see a page of the gateway, without an MCP client. */
export class BrowserLogins {
  readonly #options: BrowserLoginOptions
  readonly #flows: Rows

  constructor(options: BrowserLoginOptions) {
    this.#options = options
    const limits = { maxRows: 20_000, maxValueBytes: 64 * 1024 }
    this.#flows = options.store.rows({ name: 'browser-logins', secret: true, ...limits })
  }

  /** Sends the browser to log in. It may come back to another process of this gateway. */
  async begin(response: ServerResponse, to: Destination): Promise<void> {
    const { upstream, isSecure } = this.#options
    const { url, pending } = await upstream.begin(undefined)
    const browser = randomBytes(24).toString('base64url')
    const begun: Begun = { ...pending, browser: digest(browser), to }
    await this.#flows.put(`state ${digest(pending.state)}`, JSON.stringify(begun), { ttl: LOGIN_TIME })
    const attributes = `Path=/; HttpOnly; SameSite=Lax; Max-Age=${LOGIN_TIME / 1000}${isSecure ? '; Secure' : ''}`
    const headers = {
      location: url,
      'set-cookie': `${COOKIE}=${browser}; ${attributes}`,
      'cache-control': 'no-store',
    }
    response.writeHead(303, headers).end()
  }

  /** The identity provider's answer; false when it belongs to another kind of login. */
  async callback(request: IncomingMessage, response: ServerResponse, url: URL): Promise<boolean> {
    const state = url.searchParams.get('state') ?? ''
    const row = state === '' ? undefined : await this.#flows.take(`state ${digest(state)}`)
    if (!row) return false
    const { browser, to, ...pending } = JSON.parse(row.value) as Begun
    const { upstream, log, toAuth } = this.#options
    if (!this.#isFrom(request, browser)) {
      sendPage(response, 400, problemPage('This sign-in began in another browser.', AGAIN))
      return true
    }
    try {
      const person = await upstream.finish(url, pending)
      await this.#options.loggedIn(person)
      const ticket: Ticket = { auth: toAuth(person), browser, page: to.page }
      const id = randomBytes(24).toString('base64url')
      await this.#flows.put(`ticket ${digest(id)}`, JSON.stringify(ticket), { ttl: TICKET_TIME })
      response.writeHead(303, { location: `${to.landing}?ticket=${id}`, 'cache-control': 'no-store' }).end()
    } catch (error) {
      log('warn', 'A login was refused', {
        reason: error instanceof Error ? error.message : String(error),
        event: 'login-refused',
      })
      sendPage(response, 400, problemPage('The identity provider did not confirm who you are.', AGAIN))
    }
    return true
  }

  /** Returns the person who has logged in: once, and in the same browser only. */
  async redeem(request: IncomingMessage, ticket: string): Promise<Omit<Ticket, 'browser'> | undefined> {
    const row = ticket === '' ? undefined : await this.#flows.take(`ticket ${digest(ticket)}`)
    const found = row && (JSON.parse(row.value) as Ticket)
    return found && this.#isFrom(request, found.browser) ? found : undefined
  }

  /** Whether a request comes from the browser in which the login began. */
  #isFrom(request: IncomingMessage, browser: string): boolean {
    if (isSameSecret(browser, digest(cookieOf(request, COOKIE)))) return true
    this.#options.log('warn', 'A login was refused', {
      reason: 'it came from another browser than it began in',
      event: 'login-refused',
    })
    return false
  }
}

/** A person of the identity provider, as our tokens name them. */
export function personAuth(
  issuer: string,
  { subject, claims }: { subject: string; claims: JsonObject },
): AuthInfo {
  return { principal: { kind: 'person', issuer, subject }, scopes: [], claims }
}
