import type { FetchLike } from '@gantry/mcp/client'
import type { Exchange } from '@gantry/mcp/exchange'
import type { TargetModel } from '../model/index.ts'
import type { Row, Rows, Store } from '../store/index.ts'
import { OwnExchange, TargetExchange } from '../targets/connected/target-exchange.ts'
import type { Elsewhere, HopOptions, HopPlace, TargetOwners } from '../targets/connected/elsewhere.ts'
import { serverMark } from '../targets/server-mark.ts'
import type { Members } from './members.ts'
import { PASSPORT, type Passports } from './passport.ts'

/** What a passport is for when a task of an endpoint is asked for, and the path. No target has such a name. */
export const TASKS = '/tasks/'

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
  /** The owner of each target when it was last looked up. */
  readonly #known = new Map<string, string>()
  #isLeaving = false

  constructor(options: OwnersOptions) {
    this.#options = options
    this.#rows = options.store.rows({ name: 'owners' })
  }

  get id(): string {
    return this.#options.members.id
  }

  get isLate(): boolean {
    return this.#options.members.isLate
  }

  async at(id: string, place: HopPlace): Promise<Elsewhere | undefined> {
    if (id === this.id) return undefined
    const { members } = this.#options
    const address = members.lastAddressOf(id) ?? (await members.addressOf(id))
    return address === undefined ? undefined : this.#elsewhere(place, id, address, true)
  }

  /** The targets whose connections are here. */
  get own(): readonly string[] {
    return [...this.#own.keys()]
  }

  async find(model: TargetModel): Promise<Elsewhere | undefined> {
    if (model.kind !== 'stdio' || this.#isLeaving) return undefined
    const { members } = this.#options
    // Two versions of a configuration may have two programs under one name.
    const key = `${members.scope}${model.name} ${serverMark(model)}`
    for (;;) {
      const row = await this.#read(key)
      const owner = row?.value
      const address = owner === undefined || owner === members.id ? undefined : await members.addressOf(owner)
      if (address !== undefined) {
        this.#known.set(key, owner!)
        return this.#elsewhere({ target: model.name }, owner!, address)
      }
      const isOurs =
        owner === members.id || (await this.#rows.swap(key, row?.version, members.id)) !== undefined
      if (!isOurs) continue
      this.#own.set(model.name, key)
      this.#known.set(key, members.id)
      return undefined
    }
  }

  /** While the store is away, a program is where it was. */
  async #read(key: string): Promise<Pick<Row, 'value' | 'version'> | undefined> {
    try {
      return await this.#rows.get(key)
    } catch (error) {
      const value = this.#known.get(key)
      if (value === undefined) throw error
      return { value, version: 0 }
    }
  }

  #elsewhere(place: HopPlace, to: string, address: string, begun: boolean = false): Elsewhere {
    const { passports, fetch, members } = this.#options
    const [path, target] =
      'target' in place
        ? [`/hop/${encodeURIComponent(place.target)}`, place.target]
        : [`${TASKS}${encodeURIComponent(place.tasksOf)}`, TASKS + place.tasksOf]
    return {
      id: to,
      fetch,
      url: address + path,
      untilGone: (end) => members.untilGone(to, end),
      headersFor: (exchange, options) => ({
        [PASSPORT]: passports.sign({ target, to, begun, ...whose(exchange), ...howSent(exchange, options) }),
      }),
    }
  }

  /**
   * Writes down again which programs are here: without that, the next that needs one would start another. Returns those
   * that another gateway has by now.
   */
  async restore(): Promise<string[]> {
    const lost: string[] = []
    for (const [name, key] of this.#isLeaving ? [] : this.#own) {
      if (await this.#claim(key)) continue
      this.#own.delete(name)
      lost.push(name)
    }
    return lost
  }

  async #claim(key: string): Promise<boolean> {
    const { members } = this.#options
    for (;;) {
      const row = await this.#rows.get(key)
      if (row?.value === members.id) return true
      if (row && (await members.addressOf(row.value)) !== undefined) return false
      if ((await this.#rows.swap(key, row?.version, members.id)) !== undefined) return true
    }
  }

  /** Other gateways may own them now. */
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
  const safe = exchange instanceof TargetExchange && exchange.safe
  return {
    ...(older && { older }),
    ...(safe && { safe }),
    ...(exchange?.asTask && { asTask: exchange.asTask }),
  }
}
