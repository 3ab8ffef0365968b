import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { describePrincipal, type Guard } from '@gantry/mcp/server'
import { ApiError } from '../api-error.ts'
import { ADMIN_SCOPE } from '../../model/index.ts'
import { pathOf, type OnRefused } from '../../front/door.ts'
import type { Caller } from '../handlers.ts'

export interface GateSettings {
  /** The token that `serve` prints; undefined when the gateway can be reached from other machines. */
  readonly token: string | undefined
  /** The one that holds now. */
  readonly guard: () => Guard | undefined
  /** Told of tokens that open nothing; what the guard refuses, it tells itself. */
  readonly onRefused: OnRefused
}

/** Lets in who may administer the gateway; throws what to answer to everybody else. */
export class AdminGate {
  readonly #settings: GateSettings
  readonly #tokenHash: Buffer | undefined

  constructor(settings: GateSettings) {
    this.#settings = settings
    this.#tokenHash = settings.token === undefined ? undefined : hash(settings.token)
  }

  /** Pages of other sites hold no credentials of ours, for there are no cookies; they need not guess either. */
  checkOrigin({ headers }: IncomingMessage): void {
    if (headers['sec-fetch-site'] !== 'cross-site' || headers['sec-fetch-mode'] === 'navigate') return
    throw new ApiError('forbidden', 'Other sites may not use this', {
      fix: 'Open the console at the address that "gantry serve" prints.',
    })
  }

  async admit(request: IncomingMessage): Promise<Caller> {
    const presented = /^Bearer +(.+)$/i.exec(request.headers.authorization ?? '')?.[1]
    // Hashes have one length, and comparing them tells nothing about how close a guess was.
    if (presented !== undefined && this.#tokenHash && timingSafeEqual(hash(presented), this.#tokenHash)) {
      return { principal: 'console', auth: undefined }
    }
    const guard = this.#settings.guard()
    const verdict = await guard?.({
      method: request.method ?? 'GET',
      url: request.url ?? '/',
      headers: request.headers as Record<string, string | undefined>,
    })
    if (!verdict?.ok || !verdict.auth) {
      if (presented !== undefined && !guard) this.#refused(request)
      throw this.#unauthorized(presented !== undefined)
    }
    if (!verdict.auth.scopes.includes(ADMIN_SCOPE)) {
      throw new ApiError(
        'forbidden',
        `${describePrincipal(verdict.auth.principal)} may not administer the gateway`,
        { fix: `Give it the scope "${ADMIN_SCOPE}" in the configuration, under "auth".` },
      )
    }
    return { principal: describePrincipal(verdict.auth.principal), auth: verdict.auth }
  }

  #refused({ url = '/' }: IncomingMessage): void {
    this.#settings.onRefused({ status: 401, reason: 'nobody has this token', path: pathOf(url) })
  }

  #unauthorized(wasWrong: boolean): ApiError {
    const what = wasWrong ? 'The token is not the right one' : 'A token is needed'
    return new ApiError('unauthorized', what, {
      fix: this.#tokenHash
        ? 'Open the console with the address that "gantry serve" printed last: a new start makes a new token.'
        : `Send a key with the scope "${ADMIN_SCOPE}" as "Authorization: Bearer KEY".`,
    })
  }
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
