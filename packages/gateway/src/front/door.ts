import type { BearerGuard } from '@gantry/mcp/guard'
import type { Guard } from '@gantry/mcp/server'
import { certificateGuard } from '../identity/certificates/certificate-guard.ts'
import { bearerGuard } from '../identity/issuers/bearer-guard.ts'
import { keyGuard } from '../identity/keys/key-guard.ts'
import type { KeptKeys } from '../identity/keys/kept-keys.ts'
import type { OnConsent } from '../identity/consent.ts'
import type { OnRefused } from '../identity/refusal.ts'
import type { SignInOptions, SignInServer } from '../identity/sign-in/sign-in-server.ts'
import { isSame, type GatewayModel } from '../model/index.ts'
import type { Store } from '../store/index.ts'
import { limitedLog, type Log } from '../telemetry/log.ts'

export interface DoorOptions {
  /** Keys of the store; accepted where the configuration says so. */
  readonly keys: KeptKeys
  readonly onRefused: OnRefused
  readonly onConsent: OnConsent
  /** Where sign-ins are kept. */
  readonly store: Store
  /** The targets that people connect accounts to, for the consent page. */
  readonly accountsOf: SignInOptions['accountsOf']
  readonly log: Log
}

/** Decides who may come in. A new configuration changes it while clients are connected. */
export class Door {
  #current: FrontGuard
  #model: GatewayModel
  /** Whether other machines reach the port, which stays as it was opened. */
  readonly #isPublic: boolean
  readonly #options: DoorOptions
  readonly #followers = new Set<() => Promise<void>>()
  #unfollow: (() => void) | undefined
  #signIn: SignInServer | undefined

  private constructor(model: GatewayModel, options: DoorOptions, current: FrontGuard) {
    this.#model = model
    this.#options = options
    this.#current = current
    this.#isPublic = !model.server.loopback || model.server.publicUrl !== undefined
  }

  static async create(model: GatewayModel, options: DoorOptions): Promise<Door> {
    const signIn = await openSignIn(model, options)
    const door = new Door(model, options, await createGuard(model, options, signIn))
    door.#signIn = signIn
    await door.#followKeys()
    return door
  }

  get guard(): Guard | undefined {
    return this.#current.guard
  }

  /** Our own authorization server; undefined where there is none. */
  get signIn(): SignInServer | undefined {
    return this.#signIn
  }

  /** The settings by which callers are let in now. The gateway's model follows a moment later. */
  get auth(): GatewayModel['auth'] {
    return this.#model.auth
  }

  get bearer(): BearerGuard | undefined {
    return this.#current.bearer
  }

  /** Calls back when others may be let in than before. */
  follow(changed: () => Promise<void>): void {
    this.#followers.add(changed)
  }

  /** Asks the guard again about everything that is open. */
  async recheck(): Promise<void> {
    const { guard } = this.#current
    // A guard of its own: requests that the old one looks at in this moment are looked at again.
    if (guard) this.#current = { ...this.#current, guard: (head) => guard(head) }
    await Promise.all([...this.#followers].map((changed) => changed()))
  }

  async setModel(model: GatewayModel): Promise<void> {
    const before = this.#model
    const isNew = !isSame(before.auth, model.auth) || before.server.publicUrl !== model.server.publicUrl
    this.#model = model
    if (!isNew) return
    if (!isSame(before.auth.signIn, model.auth.signIn)) this.#signIn = await openSignIn(model, this.#options)
    const next = await createGuard(model, this.#options, this.#signIn)
    // The address changes with the next start only. Until then callers from outside need a credential.
    const mustRefuse = this.#isPublic && next.guard === undefined
    this.#current = mustRefuse ? { guard: nobody(this.#options), bearer: undefined } : next
    await this.#followKeys()
    await this.recheck()
  }

  /** Other processes revoke keys too. Where no keys are accepted, nothing is listened to. */
  async #followKeys(): Promise<void> {
    if (!this.#model.auth.keys) return this.close()
    this.#unfollow ??= await this.#options.keys.follow(() => void this.recheck())
  }

  close(): void {
    this.#unfollow?.()
    this.#unfollow = undefined
  }
}

/** The guards of one configuration. `bearer` also tells callers where to get tokens (RFC 9728). */
interface FrontGuard {
  readonly guard: Guard | undefined
  readonly bearer: BearerGuard | undefined
}

/** Without any authentication the gateway stays on loopback: the configuration refuses everything else. */
async function createGuard(
  model: GatewayModel,
  { keys, onRefused }: DoorOptions,
  signIn: SignInServer | undefined,
): Promise<FrontGuard> {
  const { apiKeys, keys: hasKept, required } = model.auth
  if (!required) return { guard: undefined, bearer: undefined }
  const bearer = await bearerGuard(model, signIn?.guard, onRefused)
  const hasKeys = apiKeys.length > 0 || hasKept
  const kept = hasKept ? keys : undefined
  const guard = hasKeys ? keyGuard({ configured: apiKeys, kept, onRefused, next: bearer }) : bearer
  return { guard: model.auth.mtls ? certificateGuard(guard, onRefused) : guard, bearer }
}

/** Needs libraries that most gateways do not use, so it is loaded only where sign-in is configured. */
async function openSignIn(
  { auth, server }: GatewayModel,
  { store, log, onRefused, onConsent, accountsOf }: DoorOptions,
): Promise<SignInServer | undefined> {
  if (!auth.signIn) return undefined
  const { SignInServer: Opened } = await import('../identity/sign-in/sign-in-server.ts')
  return Opened.create({
    model: auth.signIn,
    gateway: server.title ?? server.name,
    groups: auth.groups,
    accountsOf,
    store,
    log: limitedWarnings(log),
    onRefused,
    onConsent,
  })
}

function nobody({ onRefused }: DoorOptions): Guard {
  return keyGuard({ configured: [], kept: undefined, onRefused })
}

/** A caller that tries keys causes five log lines a minute, and a count of the rest. */
const LIMIT = { lines: 5, period: 60_000 }

/** Anybody can cause failures of a sign-in: five log lines a minute of each kind. */
function limitedWarnings(log: Log): Log {
  const kinds = new Map<unknown, Log>()
  return (level, message, facts) => {
    if (level !== 'warn') return log(level, message, facts)
    const kind = facts?.event
    const limited = kinds.get(kind) ?? limitedLog(log, LIMIT)
    kinds.set(kind, limited)
    limited(level, message, facts)
  }
}

export function logRefusals(log: Log): OnRefused {
  const limited = limitedLog(log, LIMIT)
  return ({ status, reason, path }) => limited('warn', 'A caller was refused', { status, reason, path })
}
