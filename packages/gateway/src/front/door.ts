import type { BearerGuard } from '@gantry/mcp/guard'
import type { Guard } from '@gantry/mcp/server'
import { isSame, type GatewayModel, type BearerModel } from '../model/index.ts'
import { apiKeyGuard } from './api-key-guard.ts'
import type { OnRefused } from './log-refusals.ts'

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
