import { randomBytes } from 'node:crypto'
import { principalKey, samePrincipal, type Principal } from '@gantry/mcp/exchange'
import { parseJson } from '@gantry/mcp/foreign'
import type { Rows, Store } from '../../store/index.ts'

interface ConsentLink {
  readonly principal: Principal
  readonly target: string
}

const LIFETIME = 15 * 60_000
/** A caller that repeats its call gets the same link for so long, as long as it was not used. */
const SAME_FOR = 5 * 60_000
const MOST_RECENT = 1000
const ID = /^[\w-]{22}$/

/**
 * Links that lead one person to one target. They carry no credential: the page behind them makes the visitor log in.
 */
export class ConsentLinks {
  readonly #rows: Rows
  readonly #recent = new Map<string, { id: string; until: number }>()

  constructor(store: Store) {
    this.#rows = store.rows({ name: 'connect-links', secret: true, maxRows: 20_000, maxValueBytes: 4096 })
  }

  /** The id of a link. */
  async create(principal: Principal, target: string): Promise<string> {
    const key = JSON.stringify([principalKey(principal), target])
    const recent = this.#recent.get(key)
    if (recent && recent.until > Date.now() && (await this.#rows.get(recent.id))) return recent.id
    const id = randomBytes(16).toString('base64url')
    await this.#rows.put(id, JSON.stringify({ principal, target }), { ttl: LIFETIME })
    if (this.#recent.size >= MOST_RECENT) this.#recent.clear()
    this.#recent.set(key, { id, until: Date.now() + SAME_FOR })
    return id
  }

  /** Whether the link exists, for a browser whose person is not known yet. */
  async isThere(id: string): Promise<boolean> {
    return ID.test(id) && (await this.#rows.get(id)) !== undefined
  }

  /**
   * Returns the target, once and only to the person that the link was made for. Other people get `foreign`, and do not
   * use the link up.
   */
  async use(id: string, principal: Principal): Promise<{ target: string } | 'foreign' | undefined> {
    const row = ID.test(id) ? await this.#rows.get(id) : undefined
    if (!row) return undefined
    const link = parseJson(row.value) as unknown as ConsentLink
    if (!samePrincipal(link.principal, principal)) return 'foreign'
    return (await this.#rows.take(id)) && { target: link.target }
  }
}
