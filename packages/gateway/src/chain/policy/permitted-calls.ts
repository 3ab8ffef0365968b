import { createHash } from 'node:crypto'
import { principalKey } from '@gantry/mcp/exchange'
import { parseJson } from '@gantry/mcp/foreign'
import type { PolicyCall } from '../../rules/facts.ts'
import type { Rows, Store } from '../../store/index.ts'
import type { GatewayExchange } from '../gateway-exchange.ts'

/** Calls let through by the length of the window: which window it was, and how many. */
type Counts = Record<string, readonly [window: number, calls: number]>

const MOST_ROWS = 100_000

/**
 * Counts the calls that policy let through, for each caller and object. A window of an hour begins with every full
 * hour (UTC). The row is written only if it has not changed since the decision, so processes that share a store
 * never let through more than a rule permits.
 */
export class PermittedCalls {
  readonly #rows: Rows
  /** Calls of one caller to one object are decided one after another. */
  readonly #turns = new Map<string, Promise<unknown>>()

  constructor(store: Store) {
    this.#rows = store.rows({ name: 'policy-counts', maxRows: MOST_ROWS })
  }

  /** Decides with the number of calls before this one, and counts it if it is permitted. */
  async decide<T extends { readonly allowed: boolean }>(
    exchange: GatewayExchange,
    windows: readonly number[],
    decide: (count: NonNullable<PolicyCall['count']>) => T,
  ): Promise<T> {
    const key = keyOf(exchange)
    const before = this.#turns.get(key)
    const turn = (before ?? Promise.resolve()).then(() => this.#decide(key, windows, decide))
    const ended = turn.catch(() => {})
    this.#turns.set(key, ended)
    try {
      return await turn
    } finally {
      if (this.#turns.get(key) === ended) this.#turns.delete(key)
    }
  }

  async #decide<T extends { readonly allowed: boolean }>(
    key: string,
    windows: readonly number[],
    decide: (count: NonNullable<PolicyCall['count']>) => T,
  ): Promise<T> {
    for (;;) {
      const now = Date.now()
      const row = await this.#rows.get(key)
      const counts = row ? (parseJson(row.value) as Counts) : {}
      const current = (length: number): number => Math.floor(now / length)
      const count = (length: number): number => {
        const [window, calls] = counts[length] ?? [0, 0]
        return window === current(length) ? calls : 0
      }
      const decision = decide(count)
      if (!decision.allowed) return decision
      const next: Counts = Object.fromEntries(
        windows.map((length) => [length, [current(length), count(length) + 1]]),
      )
      const ttl = Math.max(...windows)
      if (await this.#rows.swap(key, row?.version, JSON.stringify(next), { ttl })) return decision
    }
  }
}

/** The length of keys is limited, the length of URIs is not. */
function keyOf({ auth, resolved }: GatewayExchange): string {
  const { kind, catalog, name } = resolved!
  const object = JSON.stringify([principalKey(auth?.principal), kind, catalog.target.name, name])
  return createHash('sha256').update(object).digest('base64url')
}
