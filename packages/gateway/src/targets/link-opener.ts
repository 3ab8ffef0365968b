import { EraCache, type FetchLike } from '@gantry/mcp/client'
import {
  eraOf,
  LATEST_LEGACY,
  type Continuations,
  type Exchange,
  type Notification,
  type Served,
} from '@gantry/mcp/exchange'
import type { Implementation } from '@gantry/mcp/server'
import type { OAuthModel, TargetModel, UrlTarget } from '../model/index.ts'
import type { Store } from '../store/index.ts'
import { recordOf, type WireView } from '../telemetry/wire-view.ts'
import type { Handshake } from '../telemetry/handshake.ts'
import type { Log } from '../telemetry/log.ts'
import type { Tap } from '../telemetry/tap-connector.ts'
import type { ArrivingResults } from './arriving-results.ts'
import type { Instance, OpenRequest } from './instance.ts'
import { isLegacyKey } from './isolation.ts'
import { LeasedContinuations } from './leased-continuations.ts'
import { StartLimit } from './launchers/start-limit.ts'
import type { Link, ProcessFacts } from './link.ts'
import { openLink } from './open-link.ts'
import type { StartGate } from './start-gate.ts'
import type { TargetAuth } from './target-auth.ts'

export interface OpenerServices {
  readonly info: Implementation
  readonly gate: StartGate
  readonly continuations: Continuations
  readonly embedded: ReadonlyMap<string, Served>
  readonly view: WireView
  readonly fetch: FetchLike
  /** Gives room to long messages of targets. */
  readonly arriving: ArrivingResults
  /** Where launchers may keep what they install. */
  readonly stateDir: string
  /** Where tokens are kept. */
  readonly store: Store
  readonly maxMessageBytes: number
  readonly log: Log
  /** Told of tokens as they come, so that no text shows them. */
  learnSecret(this: void, value: string): void
  /** A value as JSON without secrets. */
  toJson(this: void, value: unknown): string
}

/** What is heard of a target besides answers. */
export interface OpenerEvents {
  stderr(line: string): void
  /** What a server says that belongs to no request and no subscription. */
  notification(instance: Instance, notification: Notification): void
  /** The server asked on a channel that all calls of this connection share. */
  sharedQuestion(instance: Instance, exchange: Exchange | undefined): void
  /** Says more about a failure, where there is more to say. */
  explain(thrown: unknown): unknown
}

/** Opens the connections of one target, one step of bookkeeping around each. */
export class LinkOpener {
  readonly #name: string
  readonly #services: OpenerServices
  readonly #events: OpenerEvents
  /** Each target has its own: two with one command line may be of different eras, by their environment. */
  readonly #eras = new EraCache()
  #auth: Promise<TargetAuth> | undefined

  constructor(name: string, services: OpenerServices, events: OpenerEvents) {
    this.#name = name
    this.#services = services
    this.#events = events
  }

  open(model: TargetModel, request: OpenRequest): Promise<Link> {
    const { handshake } = request
    handshake.onBegin = (step, detail) =>
      this.#services.log('info', `${this.#name}: ${step}`, { target: this.#name, detail })
    handshake.begin('queued')
    return this.#services.gate.run(() => this.#openNow(model, request), request.signal)
  }

  async #openNow(model: TargetModel, { instance, handshake, headers, signal }: OpenRequest): Promise<Link> {
    const limit = new StartLimit(model, () =>
      this.#services.log('info', `${this.#name}: it is still being installed`, {
        target: this.#name,
        limitMs: model.timeouts.install,
      }),
    )
    const ended = AbortSignal.any([signal, limit.signal])
    const services = {
      ...this.#services,
      // What is insisted on says nothing about what the server is.
      eras: isLegacyKey(instance.key) ? new EraCache() : this.#eras,
      continuations: new LeasedContinuations(this.#services.continuations, instance.park),
      auth: (await this.auth(model))?.provider,
      headers,
      handshake,
      tap: this.#tap(handshake),
      onStderr: (line: string) => this.#events.stderr(line),
      onNotification: (notification: Notification) => this.#events.notification(instance, notification),
      onAmbiguous: (method: string) => this.#warnAmbiguous(model, method),
      onSharedQuestion: (exchange: Exchange | undefined) => this.#events.sharedQuestion(instance, exchange),
      onProcess: (process: ProcessFacts) => limit.watch(process),
    }
    try {
      return await openLink(
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

  /** The target's login, where it has one. OAuth is loaded only for those that do. */
  async auth(model: TargetModel): Promise<TargetAuth | undefined> {
    if (model.kind !== 'url' || !model.oauth) return undefined
    const target = model as UrlTarget & { oauth: OAuthModel }
    this.#auth ??= import('./target-auth.ts').then((auth) => auth.createTargetAuth(target, this.#services))
    return this.#auth
  }

  #warnAmbiguous({ isolation }: TargetModel, method: string): void {
    const advice =
      isolation === 'auto'
        ? 'from now on each caller has a connection of its own'
        : 'set "isolation": "session" for this target, or leave "isolation" out'
    this.#services.log(
      'warn',
      `${this.#name} sent ${method} while calls of several callers were under way, and nothing says whose it is: refused; ` +
        advice,
      { target: this.#name, method },
    )
  }

  /** Messages of an exchange go to its record; those of no exchange to the only one under way, if there is one. */
  #tap(handshake: Handshake): Tap {
    const { view } = this.#services
    return {
      get active() {
        return handshake.active || view.watched
      },
      opening: (kind) => handshake.opening(kind),
      seen: (direction, message, origin) => {
        if (handshake.active) handshake.seen(direction, message)
        if (!view.watched) return
        const record = (origin && recordOf(origin as Exchange)) ?? view.onlyRunning(this.#name)
        if (record) view.add(record, { hop: 'target', direction, message })
      },
    }
  }
}
