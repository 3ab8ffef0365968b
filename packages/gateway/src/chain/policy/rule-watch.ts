import type { Catalog } from '../../catalog/catalog.ts'
import type { GatewayModel } from '../../model/index.ts'
import type { Log } from '../../telemetry/log.ts'

export interface RuleWatchHost {
  readonly model: GatewayModel
  readonly catalog: Catalog
  readonly log: Log
}

/** Lists often change several times in a row. */
const SETTLE = 100

/** Compares conditions and views with the lists whenever either changes, and warns where they do not fit. */
export class RuleWatch {
  readonly #host: RuleWatchHost
  readonly #told = new Set<string>()
  #timer: NodeJS.Timeout | undefined

  constructor(host: RuleWatchHost) {
    this.#host = host
  }

  modelChanged(): void {
    this.#told.clear()
    this.catalogChanged()
  }

  catalogChanged(): void {
    const { policy, views } = this.#host.model
    const { rules } = policy.trial ?? policy
    const isReading = rules.some(({ when }) => when?.args.use === 'some')
    if (this.#timer || !(isReading || views.some(({ entries }) => entries.size > 0))) return
    this.#timer = setTimeout(() => void this.#check(), SETTLE).unref()
  }

  async #check(): Promise<void> {
    this.#timer = undefined
    const { model, catalog, log } = this.#host
    const { checkRules } = await import('../../rules/check-rules.ts')
    const { checkViews } = await import('../../rules/check-views.ts')
    const offers = catalog.catalogs.flatMap(({ target, snapshot }) =>
      snapshot ? [{ ...snapshot, target: target.name }] : [],
    )
    for (const { rule, place, message } of checkRules(model.policy.trial ?? model.policy, offers)) {
      const at = place && `${place.file}:${place.line}:${place.column}`
      if (!this.#isNew(`${rule}\0${message}`)) continue
      log('warn', `A rule does not fit what it is about: ${message}`, {
        rule,
        at,
        event: 'rule-does-not-fit',
      })
    }
    for (const { view, message } of checkViews(model.views, offers)) {
      if (!this.#isNew(`view ${view}\0${message}`)) continue
      log('warn', `A view does not fit its target: ${message}`, { event: 'view-does-not-fit' })
    }
  }

  #isNew(message: string): boolean {
    const isNew = !this.#told.has(message)
    this.#told.add(message)
    return isNew
  }
}
