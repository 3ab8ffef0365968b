import { createHash, timingSafeEqual } from 'node:crypto'
import type { BearerGuard } from '@gantry/mcp/guard'
import type { Guard, HttpHead } from '@gantry/mcp/server'
import {
  isSame,
  type GatewayModel,
  type BearerModel,
  keyPrincipal,
  type ApiKeyModel,
} from '../model/index.ts'
import { limitedLog, type Log } from '../telemetry/log.ts'

/** Who is let in now. A new configuration changes it while clients are connected. */
export class Door {
  #current: FrontGuard
  #model: GatewayModel
  /** Whether other machines reach the port, which stays as it was opened. */
  readonly #isPublic: boolean
  readonly #onRefused: OnRefused
  readonly #followers = new Set<() => Promise<void>>()

  private constructor(model: GatewayModel, onRefused: OnRefused, current: FrontGuard) {
    this.#model = model
    this.#onRefused = onRefused
    this.#current = current
    this.#isPublic = !model.server.loopback || model.server.publicUrl !== undefined
  }

  static async create(model: GatewayModel, onRefused: OnRefused): Promise<Door> {
    return new Door(model, onRefused, await createGuard(model, onRefused))
  }

  get guard(): Guard | undefined {
    return this.#current.guard
  }

  get bearer(): BearerGuard | undefined {
    return this.#current.bearer
  }

  /** Calls back when others may be let in than before. */
  follow(changed: () => Promise<void>): void {
    this.#followers.add(changed)
  }

  async setModel(model: GatewayModel): Promise<void> {
    const before = this.#model
    const isNew = !isSame(before.auth, model.auth) || before.server.publicUrl !== model.server.publicUrl
    this.#model = model
    if (!isNew) return
    const next = await createGuard(model, this.#onRefused)
    // The address changes with the next start only. Until then nobody comes in from outside without a credential.
    const mustRefuse = this.#isPublic && next.guard === undefined
    this.#current = mustRefuse ? { guard: apiKeyGuard([], this.#onRefused), bearer: undefined } : next
    await Promise.all([...this.#followers].map((changed) => changed()))
  }
}

/** Who is let in. `bearer` also says, to anybody, where tokens come from (RFC 9728). */
interface FrontGuard {
  readonly guard: Guard | undefined
  readonly bearer: BearerGuard | undefined
}

/** Without any authentication the gateway stays on loopback: the configuration refuses everything else. */
async function createGuard(model: GatewayModel, onRefused: OnRefused): Promise<FrontGuard> {
  const { apiKeys, bearer: settings, required } = model.auth
  const bearer = settings && (await bearerGuard(settings, model, onRefused))
  if (!bearer && apiKeys.length === 0 && !required) return { guard: undefined, bearer: undefined }
  return { guard: apiKeys.length > 0 || !bearer ? apiKeyGuard(apiKeys, onRefused, bearer) : bearer, bearer }
}

/** Verifying tokens takes libraries that most gateways do not need: they are loaded for those that do. */
async function bearerGuard(
  settings: BearerModel,
  model: GatewayModel,
  onRefused: OnRefused,
): Promise<BearerGuard> {
  const { bearer } = await import('@gantry/mcp/guard')
  const { issuer, audience, scopes, jwksUri, introspection, trustedHosts } = settings
  return bearer({
    resource: resourceOf(settings, model),
    issuer,
    audience,
    scopes,
    trustedHosts,
    onRefused: ({ status, reason, path }) => onRefused({ status, reason, path }),
    ...(jwksUri !== undefined && { jwks: jwksUri }),
    ...(introspection && {
      introspection: { ...introspection, clientSecret: introspection.clientSecret.reveal() },
    }),
  })
}

/** What clients call this gateway: tokens are asked for under this name. */
function resourceOf({ audience }: BearerModel, { server }: GatewayModel): string {
  if (server.publicUrl !== undefined) return new URL('/mcp', server.publicUrl).href
  return URL.canParse(audience) ? audience : `http://${server.host}:${server.port}/mcp`
}

/** Lets holders of a configured key in: `Authorization: Bearer KEY` or `X-API-Key: KEY`. Fails closed. */
function apiKeyGuard(keys: readonly ApiKeyModel[], onRefused: OnRefused, next?: Guard): Guard {
  const hashed = keys.map(({ name, sha256, scopes }) => ({
    hash: Buffer.from(sha256, 'hex'),
    auth: Object.freeze({ principal: keyPrincipal(name), scopes, claims: {} }),
  }))
  return (head) => {
    const presented = keyOf(head)
    const digest = presented === undefined ? undefined : createHash('sha256').update(presented).digest()
    // Every key is compared in constant time, so that timing tells nothing about which one is close.
    const found =
      digest && hashed.filter(({ hash }) => hash.length === digest.length && timingSafeEqual(hash, digest))
    const match = found?.[0]
    if (match) return { ok: true, auth: match.auth }
    if (next) return next(head)
    if (presented !== undefined)
      onRefused({ status: 401, reason: 'nobody has this key', path: pathOf(head.url) })
    return { ok: false, status: 401, headers: { 'www-authenticate': 'Bearer realm="gantry"' } }
  }
}

function keyOf(head: HttpHead): string | undefined {
  const header = head.headers['x-api-key']
  // An empty key is no key, whatever was configured.
  if (header !== undefined) return header.trim() === '' ? undefined : header
  return /^Bearer +(\S.*)$/i.exec(head.headers.authorization ?? '')?.[1]
}

/** A request that presented a credential and was not let in. */
export interface Refused {
  readonly status: number
  readonly reason: string
  readonly path: string
}

export type OnRefused = (refused: Refused) => void

/** Somebody who tries keys writes five lines a minute, and the number of the others. */
const LIMIT = { lines: 5, period: 60_000 }

export function logRefusals(log: Log): OnRefused {
  const limited = limitedLog(log, LIMIT)
  return ({ status, reason, path }) => limited('warn', 'A caller was refused', { status, reason, path })
}

/** A URL without its query, where people put keys. */
export function pathOf(url: string): string {
  return url.split('?', 1)[0]!
}
