import {
  Budget,
  MemoryContinuations,
  SubscriptionMeter,
  type Sealer,
  type Served,
} from '@gantry/mcp/exchange'
import type { Implementation } from '@gantry/mcp/server'
import { Catalog, ListWatch } from './catalog/catalog.ts'
import { CatalogStore } from './catalog/catalog-store.ts'
import type { Snapshot } from './catalog/fetch-lists.ts'
import { diffModels } from './config/diff-models.ts'
import { hideShapes, sharedLimit, type GatewayModel, type TargetModel } from './model/index.ts'
import { Admission } from './chain/limits/admission.ts'
import { mayKnow } from './chain/policy/caller-view.ts'
import { permissionsOf, type Caller } from './chain/policy/permissions.ts'
import { Endpoint } from './endpoint.ts'
import type { Store } from './store/index.ts'
import { ArrivingResults } from './targets/fetch/arriving-results.ts'
import { createPooledFetch } from './targets/fetch/pooled-fetch.ts'
import { Deadlines } from './targets/calls.ts'
import type { Instance } from './targets/connection/instance.ts'
import { isSharedKey } from './targets/connection/isolation.ts'
import { StartGate } from './targets/connection/start-gate.ts'
import { Target, type TargetServices } from './targets/target.ts'
import { type Log, limitedLog } from './telemetry/log.ts'
import type { SecretScrubber } from './telemetry/secret-scrubber.ts'
import { WireView } from './telemetry/wire-view.ts'

export interface GatewayOptions {
  readonly model: GatewayModel
  readonly sealer: Sealer
  /** Closed by its owner, after the gateway. */
  readonly store: Store
  readonly log: Log
  /** Takes the secrets of the model out of texts; the log has its use too. */
  readonly scrubber: SecretScrubber
  readonly version: string
  /** Servers in this process, by the module name that the configuration uses. */
  readonly embedded?: ReadonlyMap<string, Served>
}

/** Observers of what happens inside: the console and the logs. */
export interface GatewayObserver {
  targetChanged?(target: Target): void
  stderr?(target: Target, line: string): void
  /** Before anything else of a new configuration holds, which waits for it. */
  modelChanging?(model: GatewayModel): Promise<void>
  /** Others may use a target than before. */
  policyChanged?(): Promise<void>
  modelChanged?(model: GatewayModel): void
  catalogChanged?(): void
  /** A target's lists are not what they were. */
  snapshotReplaced?(target: Target, before: Snapshot, after: Snapshot): void
}

/** Targets, catalog and relay of one configuration, which may be replaced while clients stay connected. */
export class Gateway {
  readonly info: Implementation
  readonly catalog: Catalog
  readonly log: Log
  readonly scrubber: SecretScrubber
  readonly sealer: Sealer
  readonly store: Store
  readonly view: WireView
  readonly admission: Admission
  readonly observers: Set<GatewayObserver> = new Set()
  model: GatewayModel
  readonly #failures: Log
  readonly #services: TargetServices
  readonly #continuations: MemoryContinuations
  readonly #questions: Budget
  readonly #subscriptions: SubscriptionMeter
  readonly #targets = new Map<string, Target>()
  /** Removed, with calls under way. */
  readonly #leaving = new Set<Target>()
  readonly #endpoints = new Map<string, Endpoint>()

  constructor(options: GatewayOptions) {
    const { model } = options
    this.model = model
    this.log = options.log
    this.#failures = limitedLog(options.log, { lines: 50, period: 1000 })
    this.scrubber = options.scrubber
    this.sealer = options.sealer
    this.store = options.store
    this.view = new WireView({ ...model.telemetry.wire, sampling: model.telemetry.sampling })
    this.info = {
      name: model.server.name,
      version: options.version,
      ...(model.server.title !== undefined && { title: model.server.title }),
    }
    const { limits } = model.server
    this.admission = new Admission(sharedLimit(limits.requestsInFlight, limits))
    this.#subscriptions = new SubscriptionMeter({
      ...sharedLimit(limits.subscriptions, limits),
      perRequest: limits.subscriptionsPerRequest,
    })
    this.#questions = new Budget(sharedLimit(limits.parkedCalls, limits))
    this.#continuations = new MemoryContinuations({
      maxParked: limits.parkedCalls,
      maxParkedOfCaller: sharedLimit(limits.parkedCalls, limits).perCaller,
      ttl: limits.parkedFor,
    })
    const arriving = new ArrivingResults({ perCaller: limits.resultBytes, total: 2 * limits.resultBytes })
    this.#services = {
      info: this.info,
      gate: new StartGate(limits.startingTargets),
      deadlines: new Deadlines(),
      continuations: this.#continuations,
      arriving,
      fetch: createPooledFetch(arriving),
      stateDir: model.stateDir,
      store: options.store,
      maxMessageBytes: limits.resultBytes,
      heldFor: limits.parkedFor,
      embedded: options.embedded ?? new Map(),
      log: options.log,
      learnSecret: (value) => this.scrubber.learn(value),
      toJson: (value) => this.scrubber.toJson(value, hideShapes),
      view: this.view,
    }
    this.catalog = new Catalog({
      model: model.catalog,
      names: model.names,
      info: this.info,
      store: model.catalog.persist
        ? new CatalogStore(options.store, (error) =>
            options.log('warn', `The lists of a target cannot be kept: ${String(error)}`),
          )
        : undefined,
      onReplaced: (target, before, after) => {
        for (const observer of this.observers) observer.snapshotReplaced?.(target, before, after)
      },
      onChanged: () => {
        for (const observer of this.observers) observer.catalogChanged?.()
      },
    })
  }

  /** Makes the targets and takes up what the last run knew of them; nothing is started yet. */
  async load(): Promise<void> {
    for (const model of this.model.targets) this.#add(model)
    await this.#publish()
  }

  /** Starts the eager targets in the background. */
  start(): void {
    this.#startEager(this.targets)
  }

  /** Resolves when no request is under way any more, or when the time is over. */
  async drain(milliseconds: number): Promise<void> {
    const until = Date.now() + milliseconds
    const isBusy = (): boolean => this.view.running.some(({ method }) => method !== 'subscriptions/listen')
    while (isBusy() && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 20))
  }

  /** What connections are made with, for those that are made on trial. */
  get services(): TargetServices {
    return this.#services
  }

  get targets(): Target[] {
    return this.model.targets.flatMap((model) => this.#targets.get(model.name) ?? [])
  }

  target(name: string): Target | undefined {
    return this.#targets.get(name)
  }

  /** Whether a caller may know that there is such a target. */
  mayKnow(target: Target, caller: Caller): boolean {
    const permissions = permissionsOf(this.model.policy, caller)
    const catalog = this.catalog.of(target)
    return catalog ? mayKnow(catalog, permissions) : permissions.mayCallSome(target.name)
  }

  /** What clients are served: everything, or one target under its own names. */
  endpoint(target?: string): Endpoint | undefined {
    if (target !== undefined && !this.#targets.has(target)) return undefined
    const key = target ?? ''
    let endpoint = this.#endpoints.get(key)
    if (!endpoint) {
      endpoint = new Endpoint({
        model: this.model,
        name: key,
        info: this.info,
        catalog: target === undefined ? this.catalog.merged : this.catalog.alone(target),
        continuations: this.#continuations,
        questions: this.#questions,
        // As long as calls stay parked, whichever configuration the endpoint is made for.
        parkedFor: this.#services.heldFor,
        sealer: this.sealer,
        store: this.store,
        view: this.view,
        admission: this.admission,
        subscriptions: this.#subscriptions,
        toJson: (value) => this.scrubber.toJson(value, hideShapes),
        log: this.#failures,
        onError: (error) => this.log('error', String(error)),
      })
      this.#endpoints.set(key, endpoint)
    }
    return endpoint
  }

  /** Takes a new configuration. Unchanged targets keep their connections, and no call under way is lost. */
  async apply(model: GatewayModel): Promise<void> {
    await Promise.all([...this.observers].map((observer) => observer.modelChanging?.(model)))
    const diff = diffModels(this.model, model)
    this.model = model
    this.scrubber.setModel(model)
    const replaced = diff.changed.filter((change) => change.reconnect)
    for (const { name } of diff.removed) this.#remove(name)
    for (const target of diff.added) this.#add(target)
    for (const change of diff.changed) {
      if (!change.reconnect) this.#targets.get(change.name)?.setModel(change.next)
    }
    for (const change of replaced) void this.#targets.get(change.name)?.replace(change.next)
    this.catalog.setModel(model.catalog, model.names)
    const { limits } = model.server
    this.admission.resize(sharedLimit(limits.requestsInFlight, limits))
    for (const endpoint of this.#endpoints.values()) endpoint.setModel(model)
    if (diff.sections.includes('policy')) {
      await Promise.all([...this.observers].map((observer) => observer.policyChanged?.()))
    }
    await this.#publish()
    this.#startEager(this.targets)
    for (const observer of this.observers) observer.modelChanged?.(model)
  }

  #add(model: TargetModel): void {
    const target = new Target(model, this.#services, {
      changed: (changed) => {
        for (const observer of this.observers) observer.targetChanged?.(changed)
      },
      ready: (ready, instance) => this.#connected(ready, instance),
      stderr: (writer, line) => {
        for (const observer of this.observers) observer.stderr?.(writer, line)
      },
    })
    target.listen(new ListWatch((...change) => this.catalog.of(target)?.invalidate(...change)))
    this.#targets.set(model.name, target)
  }

  /** Its calls under way may end. */
  #remove(name: string): void {
    const target = this.#targets.get(name)
    if (!target) return
    this.#targets.delete(name)
    this.#leaving.add(target)
    void target.retire().finally(() => this.#leaving.delete(target))
  }

  #publish(): Promise<void> {
    return this.catalog.setTargets(this.targets.filter((target) => target.model.enabled))
  }

  #startEager(targets: readonly Target[]): void {
    for (const target of targets) {
      const catalog = this.catalog.of(target)
      if (!catalog || target.model.start !== 'eager' || catalog.isFresh) continue
      catalog.refresh().catch((error) =>
        this.log('warn', `The lists of ${target.name} could not be fetched`, {
          target: target.name,
          detail: String(error.message ?? error),
        }),
      )
    }
  }

  /** A new connection may offer other things than the one before. */
  #connected(target: Target, instance: Instance): void {
    if (!isSharedKey(instance.key)) return
    const catalog = this.catalog.of(target)
    // Whoever waits for its first lists has asked for them already.
    if (catalog && (catalog.snapshot || !catalog.isFetching)) catalog.invalidate()
  }

  async close(): Promise<void> {
    for (const endpoint of this.#endpoints.values()) endpoint.close()
    await Promise.all([...this.#targets.values(), ...this.#leaving].map((target) => target.stop()))
    this.#targets.clear()
  }
}
