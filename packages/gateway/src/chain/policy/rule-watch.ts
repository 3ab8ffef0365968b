import type { Catalog } from '../../catalog/catalog.ts'
import type { GatewayModel } from '../../model/index.ts'
import { asksForLists } from '../../rules/fit/asks-for-lists.ts'
import type { Log } from '../../telemetry/log.ts'

export interface RuleWatchHost {
  readonly model: GatewayModel
  readonly catalog: Catalog
  readonly log: Log
}

const LINES = {
  rule: 'A rule does not fit what it is about',
  view: 'A view does not fit its target',
  limit: 'A limit does not fit what it counts',
} as const
const EVENTS = {
  rule: 'rule-does-not-fit',
  view: 'view-does-not-fit',
  limit: 'limit-does-not-fit',
} as const

/** Lists often change several times in a row. */
const SETTLE = 100

/** Compares conditions, views and limits with the lists whenever either changes, and warns where they do not fit. */
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
    if (this.#timer || !asksForLists(this.#host.model)) return
    this.#timer = setTimeout(() => void this.#check(), SETTLE).unref()
  }

  async #check(): Promise<void> {
    this.#timer = undefined
    const { model, catalog, log } = this.#host
    const { checkFit } = await import('../../rules/fit/check-fit.ts')
    const offers = catalog.catalogs.flatMap(({ target, snapshot }) =>
      snapshot ? [{ ...snapshot, target: target.name }] : [],
    )
    for (const { about, name, place, message } of await checkFit(model, offers)) {
      if (!this.#isNew(`${about} ${name}\0${message}`)) continue
      const at = place && `${place.file}:${place.line}:${place.column}`
      log('warn', `${LINES[about]}: ${message}`, {
        event: EVENTS[about],
        ...(about === 'rule' && { rule: name, at }),
      })
    }
  }

  #isNew(message: string): boolean {
    const isNew = !this.#told.has(message)
    this.#told.add(message)
    return isNew
  }
}
