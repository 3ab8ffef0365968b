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

/** Compares the conditions of rules with the lists whenever either changes, and warns where they do not fit. */
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
    const { policy } = this.#host.model
    const { rules } = policy.trial ?? policy
    if (this.#timer || !rules.some(({ when }) => when?.args.use === 'some')) return
    this.#timer = setTimeout(() => void this.#check(), SETTLE).unref()
  }

  async #check(): Promise<void> {
    this.#timer = undefined
    const { model, catalog, log } = this.#host
    const { checkRules } = await import('../../rules/check-rules.ts')
    const offers = catalog.catalogs.flatMap(({ target, snapshot }) =>
      snapshot ? [{ ...snapshot, target: target.name }] : [],
    )
    for (const { rule, place, message } of checkRules(model.policy.trial ?? model.policy, offers)) {
      const at = place && `${place.file}:${place.line}:${place.column}`
      if (this.#told.has(`${rule}\0${message}`)) continue
      this.#told.add(`${rule}\0${message}`)
      log('warn', `A rule does not fit what it is about: ${message}`, {
        rule,
        at,
        event: 'rule-does-not-fit',
      })
    }
  }
}
