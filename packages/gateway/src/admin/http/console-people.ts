import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AuthInfo } from '@gantry/mcp/exchange'
import { digest } from '../../identity/secret-texts.ts'
import type { BrowserLogins } from '../../identity/sign-in/browser-logins.ts'
import type { Rows, Store } from '../../store/index.ts'

/** A working day: groups of a person are read when they sign in. */
const LIFETIME = 12 * 60 * 60_000

/** The page of the console that takes the ticket of a login. */
const LANDING = '/console/signed-in'

export interface ConsolePeopleOptions {
  readonly store: Store
  /** Undefined where people cannot sign in. */
  logins(): BrowserLogins | undefined
  /** The identity provider that people sign in with now. */
  issuer(): string | undefined
}

/** A person at the console. */
export interface ConsoleSession {
  readonly id: string
  readonly auth: AuthInfo
}

/**
 * People who sign in to the console with the identity provider. A login ends in a ticket, a ticket opens a session,
 * and the browser keeps the session as it keeps a token: in the sealed cookie.
 */
export class ConsolePeople {
  readonly #options: ConsolePeopleOptions
  readonly #rows: Rows

  constructor(options: ConsolePeopleOptions) {
    this.#options = options
    const limits = { maxRows: 20_000, maxValueBytes: 64 * 1024 }
    this.#rows = options.store.rows({ name: 'console-sessions', secret: true, ...limits })
  }

  get canSignIn(): boolean {
    return this.#options.logins() !== undefined
  }

  /** Sends a browser to log in. */
  async begin(response: ServerResponse): Promise<void> {
    const logins = this.#options.logins()
    if (logins) return logins.begin(response, { landing: LANDING, page: '/console/' })
    response.writeHead(303, { location: '/console/', 'cache-control': 'no-store' }).end()
  }

  /** A ticket is good once, and in the browser that has logged in. */
  async enter(request: IncomingMessage, ticket: string): Promise<ConsoleSession | undefined> {
    const found = await this.#options.logins()?.redeem(request, ticket)
    if (!found) return undefined
    const id = randomBytes(24).toString('base64url')
    const auth: AuthInfo = { ...found.auth, expiresAt: Date.now() + LIFETIME }
    await this.#rows.put(digest(id), JSON.stringify(auth), { ttl: LIFETIME })
    return { id, auth }
  }

  async find(id: string): Promise<ConsoleSession | undefined> {
    const row = await this.#rows.get(digest(id))
    if (!row) return undefined
    const auth = JSON.parse(row.value) as AuthInfo
    // Another provider may have given the same name to another person.
    return auth.principal.issuer === this.#options.issuer() ? { id, auth } : undefined
  }

  async leave({ id }: { readonly id: string }): Promise<void> {
    await this.#rows.remove(digest(id))
  }
}
