import type { Rows, Store } from '../../store/index.ts'
import type { TargetModel } from '../../model/index.ts'
import { serverMark } from '../server-mark.ts'

/**
 * Remembers over restarts which servers have asked their clients questions. As long as that is unknown, a question may
 * belong to several calls, and is then refused.
 */
export class AskingServers {
  readonly #rows: Rows

  constructor(store: Store) {
    this.#rows = store.rows({ name: 'asking-servers', maxValueBytes: 64 })
  }

  /** Also false when the store cannot tell: the server is found out again. */
  async has(model: TargetModel): Promise<boolean> {
    const row = await this.#rows.get(model.name).catch(() => undefined)
    return row?.value === serverMark(model)
  }

  /** In the background; the store is closed after the last write. */
  add(model: TargetModel): void {
    this.#rows.put(model.name, serverMark(model)).catch(() => {})
  }
}
