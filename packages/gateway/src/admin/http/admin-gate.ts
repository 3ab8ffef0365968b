import type { IncomingMessage } from 'node:http'
import { describePrincipal, type Guard } from '@gantry/mcp/server'
import { ApiError } from '../api-error.ts'
import { ADMIN_SCOPE, type RolesModel } from '../../model/index.ts'
import { pathOf, type OnRefused } from '../../identity/refusal.ts'
import type { Caller } from '../handlers.ts'
import type { AdminToken } from './admin-token.ts'
import type { ConsoleCookie } from './console-cookie.ts'
import { roleOf } from './roles.ts'

export interface GateSettings {
  /** The token that `serve` prints; undefined when the gateway can be reached from other machines. */
  readonly token: AdminToken | undefined
  readonly cookie: ConsoleCookie
  /** The one that holds now. */
  readonly guard: () => Guard | undefined
  /** Which groups have which role, now. */
  readonly roles: () => RolesModel | undefined
  /** Told of tokens that open nothing; what the guard refuses, it tells itself. */
  readonly onRefused: OnRefused
}

/** Says who is calling; throws what to answer to everybody whom the door does not let in. */
export class AdminGate {
  readonly #settings: GateSettings

  constructor(settings: GateSettings) {
    this.#settings = settings
  }

  /** A cookie opens nothing for pages of other sites, which lack the key of the console; they need not guess either. */
  checkOrigin({ headers }: IncomingMessage): void {
    const site = headers['sec-fetch-site']
    // Another port of this machine is the same site, and another page all the same.
    const isOther = site === 'cross-site' || site === 'same-site'
    if (!isOther || headers['sec-fetch-mode'] === 'navigate') return
    throw new ApiError('forbidden', 'Pages of other origins may not use this', {
      fix: 'Open the console at the address that "gantry serve" prints.',
    })
  }

  async admit(request: IncomingMessage): Promise<Caller> {
    const { token, cookie } = this.#settings
    const authorization = request.headers.authorization ?? (await cookie.open(request))
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
      throw this.#unauthorized(presented !== undefined)
    }
    const { auth } = verdict
    return { principal: describePrincipal(auth.principal), auth, role: roleOf(auth, this.#settings.roles()) }
  }

  #refused({ url = '/' }: IncomingMessage): void {
    this.#settings.onRefused({ status: 401, reason: 'nobody has this token', path: pathOf(url) })
  }

  #unauthorized(wasWrong: boolean): ApiError {
    const what = wasWrong ? 'The token is not the right one' : 'A token is needed'
    return new ApiError('unauthorized', what, {
      fix: this.#settings.token
        ? 'Open the console with the address that "gantry serve" or "gantry console" prints.'
        : `Send a key with the scope "${ADMIN_SCOPE}" as "Authorization: Bearer KEY".`,
    })
  }
}
