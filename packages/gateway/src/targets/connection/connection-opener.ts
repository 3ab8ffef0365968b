import { EraCache, McpError, type FetchLike } from '@gantry/mcp/client'
import {
  eraOf,
  LATEST_LEGACY,
  type Continuations,
  type Notification,
  type Served,
} from '@gantry/mcp/exchange'
import type { Implementation } from '@gantry/mcp/server'
import type { OAuthModel, TargetModel, UrlTarget } from '../../model/index.ts'
import type { Store } from '../../store/index.ts'
import type { Log } from '../../telemetry/log.ts'
import { TargetTap, type ExchangeLog } from '../../telemetry/exchange-log.ts'
import type { ArrivingResults } from '../fetch/arriving-results.ts'
import { LeasedContinuations, type Instance } from './instance.ts'
import type { OpenRequest } from './life.ts'
import { fenced, openHop } from './open-hop.ts'
import { isLegacyKey, isSharedKey } from './pool.ts'
import type { InstallTurns } from '../launchers/install-turns.ts'
import { StartLimit } from '../launchers/start-limit.ts'
import type { TargetOwners } from '../connected/elsewhere.ts'
import type { EdgeServices, TargetConnection, ProcessFacts } from '../connected/target-connection.ts'
import { loadKind, openConnection, type ConnectionServices } from './open-connection.ts'
import type { StartGate } from './start-gate.ts'
import { isPersonal, withPersonal, type Personal, type PersonalAccounts } from '../personal.ts'
import type { SignInOptions, TargetAuth } from '../target-auth.ts'

export interface OpenerServices {
  readonly info: Implementation
  readonly gate: StartGate
  readonly installs: InstallTurns
  readonly continuations: Continuations
  readonly embedded: ReadonlyMap<string, Served>
  readonly exchanges: ExchangeLog
  readonly fetch: FetchLike
  /** Gives room to long messages of targets. */
  readonly arriving: ArrivingResults
  /** Where launchers may keep what they install. */
  readonly stateDir: string
  /** Where the accounts of people come from, for targets that are used with those. */
  readonly accounts: PersonalAccounts
  /** Where tokens are kept. */
  readonly store: Store
  readonly maxMessageBytes: number
  /**
   * The other gateways that share the programs of targets. It is read late: a gateway joins the others after its
   * targets are made.
   */
  owners?: TargetOwners | undefined
  readonly log: Log
  /** Told of tokens as they come, so that no text shows them. */
  learnSecret(this: void, value: string): void
  /** A value as JSON without secrets. */
  toJson(this: void, value: unknown): string
}

/** Hears what a target says besides answers. */
export interface OpenerEvents {
  stderr(line: string): void
  /** What a server says that belongs to no request and no subscription. */
  notification(instance: Instance, notification: Notification): void
  /** Adds details to a failure, where some are known. */
  explain(thrown: unknown): unknown
}

/**
 * Opens the connections of a target: finds the account, the login and the gateway that has the target, and watches the
 * start.
 */
export class ConnectionOpener {
  readonly #name: string
  readonly #services: OpenerServices
  readonly #events: OpenerEvents
  /**
   * Each target has its own cache: two targets with the same command line can be of different eras, because of their
   * environment.
   */
  readonly #eras = new EraCache()
  #auth: Promise<TargetAuth> | undefined

  constructor(name: string, services: OpenerServices, events: OpenerEvents) {
    this.#name = name
    this.#services = services
    this.#events = events
  }

  /**
   * Loads what connections of the target need. The files of this program may be of another version when the first
   * caller comes, or gone for a moment.
   */
  async prepare(model: TargetModel): Promise<void> {
    await Promise.all([loadKind(model), isPersonal(model) || this.#login(model)])
  }

  open(model: TargetModel, request: OpenRequest<Instance>): Promise<TargetConnection> {
    const { handshake, instance } = request
    // One that is away is tried every few seconds.
    const level = instance.failures > 0 ? 'debug' : 'info'
    handshake.onBegin = (step, detail) =>
      this.#services.log(level, `${this.#name}: ${step}`, { target: this.#name, detail })
    handshake.begin('queued')
    const { gate, installs } = this.#services
    const { signal } = request
    return installs.run(model, () => gate.run(() => this.#openNow(model, request), signal), signal)
  }

  async #openNow(common: TargetModel, request: OpenRequest<Instance>): Promise<TargetConnection> {
    const { owners } = this.#services
    if (owners) {
      const hop = await openHop(owners, common, request, this.#edgeServices(common, request))
      if (hop) return hop
    }
    const connection = await this.#openHere(common, request)
    return owners && common.kind === 'stdio' ? fenced(connection, owners) : connection
  }

  async #openHere(common: TargetModel, request: OpenRequest<Instance>): Promise<TargetConnection> {
    const { instance, headers, signal } = request
    const personal = await this.#personal(common, request)
    const model = personal ? withPersonal(common, personal) : common
    const limit = new StartLimit(model, () =>
      this.#services.log('info', `${this.#name}: it is still being installed`, {
        target: this.#name,
        limitMs: model.timeouts.install,
      }),
    )
    instance.isInstalling = () => limit.grace !== undefined
    const ended = AbortSignal.any([signal, limit.signal])
    const services = {
      ...this.#edgeServices(model, request),
      auth: personal ? personal.auth : (await this.#login(model))?.provider,
      headers,
      onStderr: (line: string) => this.#events.stderr(line),
      onProcess: (process: ProcessFacts) => limit.watch(process),
      grace: () => limit.grace,
    }
    try {
      return await openConnection(
        isLegacyKey(instance.key) ? { ...model, era: eraOf(LATEST_LEGACY) } : model,
        services,
        ended,
      )
    } catch (thrown) {
      throw this.#events.explain(thrown)
    } finally {
      limit.stop()
    }
  }

  #edgeServices(model: TargetModel, { instance, handshake }: OpenRequest<Instance>): Opened & EdgeServices {
    return {
      ...this.#services,
      // An era that the caller insists on says nothing about what the server has.
      eras: isLegacyKey(instance.key) ? new EraCache() : this.#eras,
      continuations: new LeasedContinuations(this.#services.continuations, instance.park),
      handshake,
      tap: new TargetTap(handshake, {
        exchanges: this.#services.exchanges,
        target: this.#name,
        advice: () => adviceFor(model),
      }),
      onNotification: (notification: Notification) => this.#events.notification(instance, notification),
      onAmbiguous: (method: string) => this.#warnAmbiguous(method, adviceFor(model)),
      onSharedQuestion: instance.sharedQuestion,
    }
  }

  /**
   * The account of the caller; undefined when all callers share an account, and empty for the connection that belongs
   * to no caller.
   */
  async #personal(
    model: TargetModel,
    { instance, caller }: OpenRequest<Instance>,
  ): Promise<Personal | undefined> {
    if (!isPersonal(model)) return undefined
    // This connection lists what the server offers, without an account.
    if (isSharedKey(instance.key)) return {}
    const found = caller && (await this.#services.accounts.open(model, caller))
    if (found) return found
    throw new McpError('unauthorized', `The caller has connected no account of "${this.#name}"`)
  }

  /** The target's login; undefined when it has none. Only targets with a login load OAuth. */
  async #login(model: TargetModel): Promise<TargetAuth | undefined> {
    if (model.kind !== 'url' || !model.oauth) return undefined
    const target = model as UrlTarget & { oauth: OAuthModel }
    this.#auth ??= import('../target-auth.ts').then((auth) => auth.createTargetAuth(target, this.#services))
    return this.#auth
  }

  /** Logs in at the target's authorization server. Only targets with `oauth` have a login. */
  async signIn(model: TargetModel, options: SignInOptions, stopping: AbortSignal): Promise<void> {
    const auth = isPersonal(model) ? undefined : await this.#login(model)
    if (!auth) throw new McpError('unsupported', `Target "${this.#name}" has no "oauth" in the configuration`)
    // A sign-in page that is left open would keep its port, and the process, for minutes.
    const signal = AbortSignal.any([stopping, ...(options.signal ? [options.signal] : [])])
    await auth.signIn({ ...options, signal })
  }

  #warnAmbiguous(method: string, advice: string): void {
    this.#services.log(
      'warn',
      `${this.#name} sent ${method} while calls of several callers were under way, and nothing says whose it is: refused; ` +
        advice,
      { target: this.#name, method, event: 'question-refused' },
    )
  }
}

type Opened = Pick<ConnectionServices, 'embedded' | 'fetch' | 'arriving' | 'maxMessageBytes' | 'stateDir'>

/** The advice on how to keep the questions of callers apart. */
function adviceFor({ isolation }: TargetModel): string {
  switch (isolation) {
    case 'auto':
      return 'from now on each caller has a connection of its own, as with "isolation": "session"'
    case 'session':
      return 'from now on such calls of callers without a name have a connection each; keys tell callers apart'
    default:
      return 'set "isolation": "session" for this target, or leave "isolation" out'
  }
}
