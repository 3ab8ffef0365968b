import { type Catalog, ListWatch } from './catalog/catalog.ts'
import type { ModelDiff } from './config/diff-models.ts'
import type { TargetModel } from './model/index.ts'
import type { Instance } from './targets/connection/instance.ts'
import { isSharedKey } from './targets/connection/pool.ts'
import type { TargetServices } from './targets/operated-target.ts'
import { Target } from './targets/target.ts'
import type { Log } from './telemetry/log.ts'

export interface GatewayTargetsOptions {
  readonly services: TargetServices
  readonly catalog: Catalog
  readonly log: Log
  readonly changed: (target: Target) => void
  readonly stderr: (target: Target, line: string) => void
}

/** The targets of the configuration that holds, and those that it has no longer but that still work on calls. */
export class GatewayTargets {
  readonly #options: GatewayTargetsOptions
  readonly #byName = new Map<string, Target>()
  /** Targets that were removed, and still have calls under way. */
  readonly #leaving = new Set<Target>()

  constructor(options: GatewayTargetsOptions) {
    this.#options = options
  }

  get(name: string): Target | undefined {
    return this.#byName.get(name)
  }

  add(model: TargetModel): void {
    const { services, catalog, changed, stderr } = this.#options
    const ready = (target: Target, instance: Instance): void => this.#connected(target, instance)
    const target = new Target(model, services, { changed, ready, stderr })
    target.listen(new ListWatch((...change) => catalog.of(target)?.invalidate(...change)))
    this.#byName.set(model.name, target)
  }

  /** Takes a new configuration. Unchanged targets keep their connections. */
  apply({ removed, added, changed }: ModelDiff): void {
    for (const { name } of removed) this.#remove(name)
    for (const model of added) this.add(model)
    for (const { name, next, reconnect } of changed) {
      const target = this.#byName.get(name)
      if (reconnect) void target?.replace(next)
      else target?.setModel(next)
    }
  }

  /** Removes a target. Its calls under way may end. */
  #remove(name: string): void {
    const target = this.#byName.get(name)
    if (!target) return
    this.#byName.delete(name)
    this.#leaving.add(target)
    void target.retire().finally(() => this.#leaving.delete(target))
  }

  /** Starts the eager targets in the background, and prepares the others. */
  start(): void {
    const { catalog, log } = this.#options
    for (const target of this.#byName.values()) {
      const lists = catalog.of(target)
      if (!lists) continue
      // Its first connection says what is missing.
      target.prepare().catch(() => {})
      if (target.model.start !== 'eager' || lists.isFresh) continue
      lists.refresh().catch((error) =>
        log('warn', `The lists of ${target.name} could not be fetched`, {
          target: target.name,
          detail: String(error.message ?? error),
          event: 'lists-not-fetched',
        }),
      )
    }
  }

  /** A new connection may offer other things than the previous connection. */
  #connected(target: Target, instance: Instance): void {
    const lists = this.#options.catalog.of(target)
    if (!isSharedKey(instance.key)) {
      if (lists?.isInvitation) void lists.fetchOwn(instance.key)
      return
    }
    // Callers that wait for its first lists have asked for them already.
    if (lists && (lists.snapshot || !lists.isFetching)) lists.invalidate()
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#byName.values(), ...this.#leaving].map((target) => target.stop()))
    this.#byName.clear()
  }
}
