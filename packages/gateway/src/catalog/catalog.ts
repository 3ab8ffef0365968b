import { type CatalogModel, matchesWildcard, type NamesModel, type ViewModel } from '../model/index.ts'
import type { Target } from '../targets/target.ts'
import { EndpointCatalog, type CatalogOptions } from './endpoint-catalog.ts'
import type { ListKind } from './fetch-lists.ts'
import { TargetCatalog } from './target-catalog.ts'
import type { Notification } from '@gantry/mcp/exchange'
import type { SubscriptionFilter } from '@gantry/mcp/server'
import type { Subscriber } from '../targets/listening/shared-listener.ts'

/** The lists of every target, and the endpoints that clients get: all targets together, one target, or a view. */
export class Catalog {
  #options: CatalogOptions
  readonly #views = new Map<string, EndpointCatalog>()
  #catalogs: TargetCatalog[] = []
  readonly merged: EndpointCatalog

  constructor(options: CatalogOptions) {
    this.#options = options
    this.merged = new EndpointCatalog(
      () => this.#options,
      () => this.#catalogs,
    )
  }

  /** Names and times of a new configuration; `setTargets` shows what they change. */
  setModel(model: CatalogModel, names: NamesModel): void {
    this.#options = { ...this.#options, model, names }
  }

  /** Takes the targets of a new configuration. Targets that stayed keep their lists. */
  async setTargets(targets: readonly Target[]): Promise<void> {
    const known = new Map(this.#catalogs.map((catalog) => [catalog.target, catalog]))
    this.#catalogs = targets.map((target) => known.get(target) ?? this.#create(target))
    await Promise.all(
      this.#catalogs.filter((catalog) => !catalog.snapshot).map((catalog) => catalog.restore()),
    )
    this.#changed()
  }

  #create(target: Target): TargetCatalog {
    return new TargetCatalog(target, {
      info: this.#options.info,
      defaultTtl: () => this.#options.model.ttl,
      store: this.#options.store,
      changed: (announced) => this.#changed(target, announced),
      replaced: this.#options.onReplaced,
    })
  }

  get catalogs(): readonly TargetCatalog[] {
    return this.#catalogs
  }

  of(target: Target): TargetCatalog | undefined {
    return this.#catalogs.find((catalog) => catalog.target === target)
  }

  /** The endpoint of a single target, under the target's own names. */
  alone(name: string): EndpointCatalog {
    let view = this.#views.get(name)
    if (!view) {
      const only = (): TargetCatalog[] => this.#catalogs.filter(({ target }) => target.name === name)
      view = new EndpointCatalog(() => this.#options, only, { prefixed: false })
      this.#views.set(name, view)
    }
    return view
  }

  /** The entries of a view, under its names. */
  view(name: string, current: () => ViewModel | undefined): EndpointCatalog {
    const key = `view ${name}`
    let view = this.#views.get(key)
    if (!view) {
      view = this.#viewOf(current)
      this.#views.set(key, view)
    }
    return view
  }

  /** The endpoint of a view that no client uses, such as a view that is being edited. It does not follow changes. */
  preview(view: ViewModel): EndpointCatalog {
    return this.#viewOf(() => view)
  }

  #viewOf(current: () => ViewModel | undefined): EndpointCatalog {
    const used = (): TargetCatalog[] =>
      this.#catalogs.filter(({ target }) =>
        current()?.use.some((pattern) => matchesWildcard(pattern.target, target.name)),
      )
    return new EndpointCatalog(() => this.#options, used, { shapes: () => current()?.entries })
  }

  /** Asks every target, and waits for each as long as its time limits allow. */
  async refreshAll(): Promise<void> {
    await Promise.all(this.#catalogs.map((catalog) => catalog.refresh().catch(() => {})))
  }

  #changed(target?: Target, announced?: ReadonlySet<ListKind>): void {
    for (const view of [this.merged, ...this.#views.values()]) {
      const concerned = view.catalogs.some((catalog) => catalog.target === target)
      view.changed(concerned && target && announced ? { target, kinds: announced } : undefined)
    }
    this.#options.onChanged?.()
  }
}

const KINDS: Readonly<Record<string, ListKind>> = {
  'notifications/tools/list_changed': 'tools',
  'notifications/prompts/list_changed': 'prompts',
  'notifications/resources/list_changed': 'resources',
}

/** Hears of changed lists for as long as a target is connected; its catalog is no reason to start it. */
export class ListWatch implements Subscriber {
  readonly filter: SubscriptionFilter = {
    toolsListChanged: true,
    promptsListChanged: true,
    resourcesListChanged: true,
  }
  readonly isPassive = true
  readonly #onChange: (kind: ListKind | undefined, connection: string | undefined) => void

  /**
   * Calls `onChange` with the list that has changed, or with undefined when all lists may have changed, and with the
   * key of the connection that reported the change.
   */
  constructor(onChange: (kind: ListKind | undefined, connection: string | undefined) => void) {
    this.#onChange = onChange
  }

  heard({ method }: Notification, connection?: string): void {
    const kind = Object.hasOwn(KINDS, method) ? KINDS[method] : undefined
    if (kind) this.#onChange(kind, connection)
  }

  granted(): void {}

  missed(connection?: string): void {
    this.#onChange(undefined, connection)
  }
}
