import type { IncomingMessage } from 'node:http'
import { describePrincipal, type Guard } from '@gantry/mcp/server'
import { ApiError } from '../api-error.ts'
import { ADMIN_SCOPE, type RolesModel } from '../../model/index.ts'
import { pathOf, type OnRefused } from '../../identity/refusal.ts'
import type { Caller } from '../handlers.ts'
import type { AdminToken } from './admin-token.ts'
import type { ConsoleCookie } from './console-cookie.ts'
import type { ConsolePeople } from './console-people.ts'
import { roleOf } from './roles.ts'

export interface GateSettings {
  /** The token that `serve` prints; undefined when the gateway can be reached from other machines. */
  readonly token: AdminToken | undefined
  readonly cookie: ConsoleCookie
  readonly people: ConsolePeople
  /** The guard of the present configuration; undefined when it has none. */
  readonly guard: () => Guard | undefined
  /** Which groups have which role, now. */
  readonly roles: () => RolesModel | undefined
  /** Told of tokens that open nothing; what the guard refuses, it tells itself. */
  readonly onRefused: OnRefused
}

/** Finds out the caller. Throws the answer for callers that the door refuses. */
export class AdminGate {
  readonly #settings: GateSettings

  constructor(settings: GateSettings) {
    this.#settings = settings
  }

  /** A cookie opens nothing for pages of other sites, which lack the key of the console; they need not guess either. */
  checkOrigin({ headers }: IncomingMessage): void {
    const site = headers['sec-fetch-site']
    // Another port of this machine is the same site, but another page.
    const isOther = site === 'cross-site' || site === 'same-site'
    if (!isOther || headers['sec-fetch-mode'] === 'navigate') return
    throw new ApiError('forbidden', 'Pages of other origins may not use this', {
      fix: 'Open the console at the address that "gantry serve" prints.',
    })
  }

  async admit(request: IncomingMessage): Promise<Caller> {
    const { token, cookie } = this.#settings
    const shown = request.headers.authorization
    const kept = shown === undefined ? await cookie.open(request) : undefined
    if (/^(Ticket|Session) /.test(shown ?? kept ?? '')) return this.#person(request, shown, kept)
    const authorization = shown ?? kept
    const presented = /^Bearer +(.+)$/i.exec(authorization ?? '')?.[1]
    if (presented !== undefined && token?.matches(presented)) {
      return { principal: 'console', auth: undefined, role: 'admin' }
    }
    const guard = this.#settings.guard()
    const verdict = await guard?.({
      method: request.method ?? 'GET',
      url: request.url ?? '/',
      headers: { ...(request.headers as Record<string, string | undefined>), authorization },
    })
    if (!verdict?.ok || !verdict.auth) {
      if (presented !== undefined && !guard) this.#refused(request)
      throw this.#unauthorized(
        presented === undefined ? 'A token is needed' : 'The token is not the right one',
      )
    }
    const { auth } = verdict
    return { principal: describePrincipal(auth.principal), auth, role: roleOf(auth, this.#settings.roles()) }
  }

  /** A login is shown once, as a ticket; a session comes in the cookie only. */
  async #person(
    request: IncomingMessage,
    shown: string | undefined,
    kept: string | undefined,
  ): Promise<Caller> {
    const { people, roles } = this.#settings
    const ticket = /^Ticket ([\w-]+)$/.exec(shown ?? '')?.[1]
    const id = /^Session ([\w-]+)$/.exec(kept ?? '')?.[1]
    const session = ticket === undefined ? id && (await people.find(id)) : await people.enter(request, ticket)
    if (!session) throw this.#unauthorized('The sign-in has ended')
    const { auth } = session
    return { principal: describePrincipal(auth.principal), auth, role: roleOf(auth, roles()), session }
  }

  #refused({ url = '/' }: IncomingMessage): void {
    this.#settings.onRefused({ status: 401, reason: 'nobody has this token', path: pathOf(url) })
  }

  /** `details` tell the console what its page can offer. */
  #unauthorized(what: string): ApiError {
    const { token, people } = this.#settings
    const { canSignIn } = people
    return new ApiError('unauthorized', what, {
      fix: token
        ? 'Open the console with the address that "gantry serve" or "gantry console" prints.'
        : `Send a key with the scope "${ADMIN_SCOPE}" as "Authorization: Bearer KEY".`,
      details: { canSignIn, hasToken: token !== undefined },
    })
  }
}
