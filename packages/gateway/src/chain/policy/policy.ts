import type { CatalogView } from '../../catalog/catalog-view.ts'
import type { PolicyModel } from '../../model/index.ts'
import { CallerView } from './caller-view.ts'
import { permissionsOf, type Caller } from './permissions-of.ts'

/** What callers may see and call at one endpoint, under the rules that hold now. */
export class Policy {
  readonly #catalog: CatalogView
  rules: PolicyModel
  #common: CallerView | undefined

  constructor(catalog: CatalogView, rules: PolicyModel) {
    this.#catalog = catalog
    this.rules = rules
  }

  /** The endpoint as a caller sees it. Without rules it is the same for all. */
  viewOf(caller: Caller, rules: PolicyModel = this.rules): CallerView {
    const permissions = permissionsOf(rules, caller)
    if (!permissions.isCommon) return new CallerView(this.#catalog, permissions)
    this.#common ??= new CallerView(this.#catalog, permissions)
    return this.#common
  }
}
