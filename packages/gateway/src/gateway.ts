import { type Sealer, type Served, writeJson } from '@gantry/mcp/exchange'
import type { Implementation } from '@gantry/mcp/server'
import type { AuditTrail } from './audit/index.ts'
import { Catalog } from './catalog/catalog.ts'
import { CatalogStore } from './catalog/catalog-store.ts'
import type { EndpointCatalog } from './catalog/endpoint-catalog.ts'
import type { Snapshot } from './catalog/fetch-lists.ts'
import { diffModels } from './config/diff-models.ts'
import { endpointModel, hideShapes, sharedLimit, type GatewayModel, type ViewModel } from './model/index.ts'
import { type Consent, NO_CONSENT } from './chain/accounts/consent.ts'
import { Approvals } from './chain/approval/approvals.ts'
import { policyVersion } from './chain/approval/call-id.ts'
import type { Admission } from './chain/limits/admission.ts'
import { createLimits, type GatewayLimits } from './chain/limits/create-limits.ts'
import { concernOf } from './rules/concerns.ts'
import { RuleCounts } from './chain/policy/rule-counts.ts'
import type { RateCounts } from './chain/rates/rate-counts.ts'
import { ResultFindings } from './chain/results/result-findings.ts'
import { mayKnow } from './chain/policy/may-know.ts'
import type { Caller } from './rules/facts.ts'
import { permissionsOf } from './rules/permissions.ts'
import { Endpoint } from './endpoint.ts'
import { GatewayTargets } from './gateway-targets.ts'
import type { Store } from './store/index.ts'
import { createTargetServices } from './targets/create-target-services.ts'
import type { Target } from './targets/target.ts'
import type { TargetServices } from './targets/operated-target.ts'
import { type Log, limitedLog } from './telemetry/log.ts'
import type { Tracer } from './telemetry/tracer.ts'
import { redacting, withTexts } from './telemetry/redacting.ts'
import type { SecretScrubber } from './telemetry/secret-scrubber.ts'
import { ToolUsage } from './telemetry/usage/tool-usage.ts'
import { ExchangeLog } from './telemetry/exchange-log.ts'
import { firstIdOf } from './telemetry/exchange-record.ts'

export interface GatewayOptions {
  readonly model: GatewayModel
  readonly sealer: Sealer
  /** Closed by its owner, after the gateway. */
  readonly store: Store
  readonly log: Log
  /** Takes the secrets of the model out of texts; the log has its use too. */
  readonly scrubber: SecretScrubber
  readonly version: string
  /** Follows requests; closed by its owner. */
  readonly tracer?: Tracer | undefined
  /** Undefined: nothing is recorded. Closed by its owner, after the gateway. */
  readonly audit?: AuditTrail | undefined
  /** The accounts of people at targets; undefined when no target uses such accounts. */
  readonly accounts?: Consent | undefined
  /** Servers in this process, by the module name that the configuration uses. */
  readonly embedded?: ReadonlyMap<string, Served>
}

/** Observers of what happens inside: the console and the logs. */
export interface GatewayObserver {
  targetChanged?(target: Target): void
  stderr?(target: Target, line: string): void
  /** Called before a new configuration holds. The gateway waits for it. */
  modelChanging?(model: GatewayModel): Promise<void>
  /** Other callers than before may use a target or a view. */
  policyChanged?(): Promise<void>
  modelChanged?(model: GatewayModel): void
  catalogChanged?(): void
  /** The lists of a target have changed. */
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
  readonly audit: AuditTrail | undefined
  readonly exchanges: ExchangeLog
  /** Counts the calls of each tool by client and principal. */
  readonly usage: ToolUsage
  readonly tracer: Tracer | undefined
  readonly admission: Admission
  /** Counts of values that rules took out of results. */
  readonly findings: ResultFindings = new ResultFindings()
  /** Calls that wait for the approval of another person. */
  readonly approvals: Approvals
  readonly rulings: RuleCounts = new RuleCounts()
  readonly observers: Set<GatewayObserver> = new Set()
  model: GatewayModel
  readonly #failures: Log
  readonly #consent: Consent
  readonly #services: TargetServices
  readonly #limits: GatewayLimits
  readonly #targets: GatewayTargets
  readonly #endpoints = new Map<string, Endpoint>()

  constructor(options: GatewayOptions) {
    const { model } = options
    this.model = model
    this.log = options.log
    this.#failures = limitedLog(options.log, { lines: 50, period: 1000 })
    this.scrubber = options.scrubber
    this.sealer = options.sealer
    this.store = options.store
    this.tracer = options.tracer
    this.audit = options.audit
    this.usage = new ToolUsage({
      store: options.store,
      uncounted: () => this.exchanges.takeUncounted(),
      onError: (error) =>
        this.#failures('warn', 'The usage of tools could not be kept', {
          detail: String(error),
          event: 'usage-not-kept',
        }),
    })
    const { wire, sampling } = model.telemetry
    const hide = {
      inJson: (json: string) => this.scrubber.scrub(json, { isJson: true }),
      inText: (text: string) => this.scrubber.scrubText(text),
    }
    this.exchanges = new ExchangeLog(
      { ...wire, sampling, hide, firstId: firstIdOf(model.server) },
      this.usage,
    )
    this.info = {
      name: model.server.name,
      version: options.version,
      ...(model.server.title !== undefined && { title: model.server.title }),
    }
    this.#consent = options.accounts ?? NO_CONSENT
    this.#limits = createLimits(model.server.limits)
    this.admission = this.#limits.admission
    this.approvals = new Approvals({
      store: options.store,
      log: options.log,
      policyOf: (view) => this.#policyOf(view),
    })
    this.#services = createTargetServices(model, {
      info: this.info,
      continuations: this.#limits.continuations,
      accounts: this.#consent,
      store: options.store,
      embedded: options.embedded ?? new Map(),
      log: options.log,
      learnSecret: (value) => this.scrubber.learn(value),
      hide: (text) => this.scrubber.scrubText(text),
      toJson: (value) => this.scrubber.toJson(value, hideShapes),
      exchanges: this.exchanges,
      tracer: options.tracer,
    })
    this.catalog = new Catalog({
      model: model.catalog,
      names: model.names,
      info: this.info,
      store: model.catalog.persist
        ? new CatalogStore(options.store, (error) =>
            options.log('warn', `The lists of a target cannot be kept: ${String(error)}`, {
              event: 'lists-not-kept',
            }),
          )
        : undefined,
      onReplaced: (target, before, after) =>
        this.#tell((observer) => observer.snapshotReplaced?.(target, before, after)),
      onChanged: () => this.#tell((observer) => observer.catalogChanged?.()),
    })
    this.#targets = new GatewayTargets({
      services: this.#services,
      catalog: this.catalog,
      log: options.log,
      changed: (target) => this.#tell((observer) => observer.targetChanged?.(target)),
      stderr: (target, line) => this.#tell((observer) => observer.stderr?.(target, line)),
    })
  }

  /** Makes the targets and takes up what the last run knew of them; nothing is started yet. */
  async load(): Promise<void> {
    for (const model of this.model.targets) this.#targets.add(model)
    await this.#publish()
  }

  /** Starts the eager targets in the background. */
  start(): void {
    this.#targets.start()
  }

  /** Resolves when no request is under way any more, or when the time is over. */
  async drain(milliseconds: number): Promise<void> {
    const until = Date.now() + milliseconds
    const isBusy = (): boolean =>
      this.exchanges.running.some(({ method }) => method !== 'subscriptions/listen')
    while (isBusy() && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 20))
  }

  /** Calls that wait here for the answers of their clients, with nothing under way. */
  get parked(): number {
    return this.#limits.continuations.size
  }

  /** What was counted against the rates of the configuration. */
  get rates(): RateCounts {
    return this.#limits.rates
  }

  /** The services with which connections are made, for trials of the console. */
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

  #viewNamed(name: string): ViewModel | undefined {
    return this.model.views.find((view) => view.name === name)
  }

  /** Whether a view is there for a caller. */
  mayUseView(name: string, caller: Caller): boolean {
    const view = this.#viewNamed(name)
    return view !== undefined && concernOf(view, caller.auth) === 'fully'
  }

  /** The endpoint of a name: all targets, one target under its own names, or a view. */
  endpoint(name?: string): Endpoint | undefined {
    const view = name === undefined ? undefined : this.#viewNamed(name)
    if (name !== undefined && !view && !this.#targets.get(name)) return undefined
    const key = name ?? ''
    let endpoint = this.#endpoints.get(key)
    if (!endpoint) {
      endpoint = new Endpoint({
        model: endpointModel(this.model, key),
        name: key,
        info: view?.title === undefined ? this.info : { ...this.info, title: view.title },
        catalog: this.#catalogOf(key, view !== undefined),
        ...this.#limits,
        // The same time for which calls stay parked.
        parkedFor: this.#services.heldFor,
        sealer: this.sealer,
        store: this.store,
        exchanges: this.exchanges,
        findings: this.findings,
        approvals: this.approvals,
        consent: this.#consent,
        tracer: this.tracer,
        audit: this.audit,
        mask: (value) => this.#masked(value),
        rulings: this.rulings,
        secrets: this.scrubber,
        log: this.#failures,
        onError: (error) => this.log('error', String(error), { event: 'endpoint-failed' }),
      })
      this.#endpoints.set(key, endpoint)
    }
    return endpoint
  }

  #policyOf(name: string): string | undefined {
    const isThere =
      name === '' || this.#viewNamed(name) !== undefined || this.#targets.get(name) !== undefined
    return isThere ? policyVersion(endpointModel(this.model, name).policy) : undefined
  }

  #catalogOf(name: string, isView: boolean): EndpointCatalog {
    if (isView) return this.catalog.view(name, () => this.#viewNamed(name))
    return name === '' ? this.catalog.merged : this.catalog.alone(name)
  }

  /** A value as JSON for records. Each text is searched by itself, and the whole: secrets are in both. */
  #masked(value: unknown): string {
    const clean = (text: string): string => this.scrubber.scrubText(text)
    return clean(writeJson(value, (key, part) => redacting(key, withTexts(part, clean))) ?? 'null')
  }

  /** Takes a new configuration. Unchanged targets keep their connections, and no call under way is lost. */
  async apply(model: GatewayModel): Promise<void> {
    await Promise.all([...this.observers].map((observer) => observer.modelChanging?.(model)))
    const diff = diffModels(this.model, model)
    this.model = model
    this.scrubber.setModel(model)
    this.#targets.apply(diff)
    this.catalog.setModel(model.catalog, model.names)
    const { limits } = model.server
    this.admission.resize(sharedLimit(limits.requestsInFlight, limits))
    for (const [name, endpoint] of this.#endpoints) endpoint.setModel(endpointModel(model, name))
    if (diff.removed.length > 0 || diff.sections.some((one) => one === 'policy' || one === 'views')) {
      await Promise.all([...this.observers].map((observer) => observer.policyChanged?.()))
    }
    await this.#publish()
    this.#targets.start()
    this.#tell((observer) => observer.modelChanged?.(model))
  }

  #tell(what: (observer: GatewayObserver) => void): void {
    for (const observer of this.observers) what(observer)
  }

  #publish(): Promise<void> {
    return this.catalog.setTargets(this.targets.filter((target) => target.model.enabled))
  }

  async close(): Promise<void> {
    for (const endpoint of this.#endpoints.values()) endpoint.close()
    await this.approvals.close()
    await this.#targets.stop()
    await this.usage.close()
  }
}
