import type { FetchLike } from '@gantry/mcp/client'
import type { Exchange } from '@gantry/mcp/exchange'
import type { TargetModel } from '../model/index.ts'
import type { Rows, Store } from '../store/index.ts'
import { OwnExchange } from '../targets/link/target-exchange.ts'
import type { Elsewhere, HopOptions, TargetOwners } from '../targets/link/elsewhere.ts'
import { serverMark } from '../targets/server-mark.ts'
import type { Members } from './members.ts'
import { PASSPORT, type Passports } from './passport.ts'

export interface OwnersOptions {
  readonly store: Store
  readonly members: Members
  readonly passports: Passports
  /** How the others are reached; undefined: as any server. */
  readonly fetch?: FetchLike | undefined
}

/** A program runs once for all gateways: the first that needs it has it, until it is gone. */
export class Owners implements TargetOwners {
  readonly #options: OwnersOptions
  readonly #rows: Rows
  /** The rows that name this gateway, by target. */
  readonly #own = new Map<string, string>()
  #isLeaving = false

  constructor(options: OwnersOptions) {
    this.#options = options
    this.#rows = options.store.rows({ name: 'owners' })
  }

  /** The targets whose connections are here. */
  get own(): readonly string[] {
    return [...this.#own.keys()]
  }

  async find(model: TargetModel): Promise<Elsewhere | undefined> {
    if (model.kind !== 'stdio' || this.#isLeaving) return undefined
    const { members } = this.#options
    // Two versions of a configuration may have two programs under one name.
    const key = `${model.name} ${serverMark(model)}`
    for (;;) {
      const row = await this.#rows.get(key)
      const owner = row?.value
      const address = owner === undefined || owner === members.id ? undefined : await members.addressOf(owner)
      if (address !== undefined) return this.#elsewhere(model.name, owner!, address)
      const isOurs =
        owner === members.id || (await this.#rows.swap(key, row?.version, members.id)) !== undefined
      if (!isOurs) continue
      this.#own.set(model.name, key)
      return undefined
    }
  }

  #elsewhere(target: string, to: string, address: string): Elsewhere {
    const { passports, fetch } = this.#options
    return {
      fetch,
      url: `${address}/hop/${encodeURIComponent(target)}`,
      headersFor: (exchange, options) => ({
        [PASSPORT]: passports.sign({ target, to, ...whose(exchange), ...howSent(exchange, options) }),
      }),
    }
  }

  /** Others may have them now. */
  forget(): string[] {
    const names = this.own
    this.#own.clear()
    return [...names]
  }

  /** Hands over: the next that needs a target takes it. What is under way here goes on. */
  async leave(): Promise<void> {
    this.#isLeaving = true
    const { id } = this.#options.members
    for (const key of this.#own.values()) {
      const row = await this.#rows.get(key).catch(() => undefined)
      if (row?.value === id) await this.#rows.remove(key).catch(() => {})
    }
  }
}

function whose(exchange: Exchange | undefined): object {
  const origin = exchange?.origin ?? exchange
  if (exchange === undefined || origin instanceof OwnExchange) return { own: true }
  return { principal: exchange.auth?.principal, session: exchange.session }
}

function howSent(exchange: Exchange | undefined, { older }: HopOptions): object {
  return { ...(older && { older }), ...(exchange?.asTask && { asTask: exchange.asTask }) }
}
