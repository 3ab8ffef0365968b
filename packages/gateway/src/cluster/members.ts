import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Row, Rows, Store, StoreError } from '../store/index.ts'
import type { Log } from '../telemetry/log.ts'

/** A gateway that is not heard of for so long is gone. */
const GONE_AFTER = 2_000
const BEAT = 400
/** For a store that is just back. */
const PATIENCE = 2 * GONE_AFTER
const NOT_YET = Number.POSITIVE_INFINITY
/** What a gateway had begun when it left is over by then. */
const LEFT_FOR = 3_600_000

export interface MembersOptions {
  readonly store: Store
  /** Where the others reach this gateway. */
  readonly address: string
  readonly log: Log
  /** This gateway stood still, or could not reach the store, for so long that others took its place. */
  readonly onGone: () => void
}

/** What a gateway says of itself. */
interface Member {
  readonly address: string
  /** Whether it takes the place of others that are gone. Not while the store is just back: they come back as well. */
  readonly settled: boolean
}

/** The gateways that work together: each says at short intervals that it lives, and where it is. */
export class Members {
  /** A new one after an absence in which others went on: by then they own what this one owned. */
  id: string = randomUUID()
  readonly #options: MembersOptions
  readonly #rows: Rows
  /** Gateways that told the others to go on without them, and end what they have begun. */
  readonly #left: Rows
  /** The members at the last heartbeat. They stay while the store is away. */
  #known = new Map<string, Member>()
  #timer: NodeJS.Timeout | undefined
  /** When the store was reached again; nobody is taken for gone in the next moments. */
  #isBackSince = 0
  /** When the others take this gateway for gone, by the clock of the store. */
  #heardUntil = Number.POSITIVE_INFINITY
  /** When there was time to say it for the last time, whether the store was there or not. */
  #tickedAt = performance.now()
  #beating: Promise<void> | undefined
  #hasLeft = false
  /** What ends that which waits for an answer of another gateway. */
  readonly #waiting = new Map<string, Set<() => void>>()

  private constructor(options: MembersOptions) {
    this.#options = options
    this.#rows = options.store.rows({ name: 'members' })
    this.#left = options.store.rows({ name: 'members-left' })
  }

  static async join(options: MembersOptions): Promise<Members> {
    const members = new Members(options)
    await members.#beat().catch((error) => {
      if ((error as StoreError).code !== 'unavailable') throw error
      members.#missed(error)
    })
    members.#timer = setInterval(() => members.#tick(), BEAT)
    members.#timer.unref()
    return members
  }

  #tick(): void {
    const now = performance.now()
    // After a standstill the store has to say first what has become of this gateway.
    if (!this.isLate) this.#tickedAt = now
    this.#beating ??= this.#beat()
      .catch((error) => this.#missed(error))
      .finally(() => {
        this.#tickedAt = Math.max(this.#tickedAt, now)
        this.#beating = undefined
      })
  }

  async #beat(): Promise<void> {
    await this.#say(this.id)
    const rows = await this.#rows.list()
    const until = rows.find(({ key }) => key === this.id)?.expires ?? this.#heardUntil
    const others = rows.filter(({ key }) => key !== this.id)
    if (this.#isBackSince === NOT_YET) this.#isBackSince = Date.now()
    if (until - GONE_AFTER > this.#heardUntil) await this.#comeBack(others)
    this.#heardUntil = until
    const before = this.#known
    const heard = new Map(others.map(({ key, value }) => [key, memberOf(value)]))
    this.#known = this.#isSettled ? heard : new Map([...before, ...heard])
    for (const id of before.keys()) if (!this.#known.has(id)) await this.#lose(id)
  }

  async #say(id: string): Promise<void> {
    const own: Member = { address: this.#options.address, settled: this.#isSettled }
    await this.#rows.put(id, JSON.stringify(own), { ttl: GONE_AFTER })
  }

  /** A machine that lost its power, or a process that stands still, ends no connection. */
  async #lose(id: string): Promise<void> {
    const waiting = this.#waiting.get(id)
    if (!waiting || (await this.#left.get(id))) return
    this.#waiting.delete(id)
    for (const end of waiting) end()
  }

  /** Calls `end` when that gateway is gone without having said so. The function returned takes that back. */
  untilGone(id: string, end: () => void): () => void {
    const waiting = this.#waiting.get(id) ?? new Set()
    this.#waiting.set(id, waiting.add(end))
    return () => {
      waiting.delete(end)
      if (waiting.size === 0 && this.#waiting.get(id) === waiting) this.#waiting.delete(id)
    }
  }

  /** This process stood still for so long that others may have its place. It learns that with the next beat. */
  get isLate(): boolean {
    return performance.now() - this.#tickedAt > GONE_AFTER
  }

  /** Whether what is meant for this gateway is to be done by it, and not by one that has its place. */
  get isHere(): boolean {
    return !this.#hasLeft && !this.isLate
  }

  /** Another one that lived on meanwhile may have taken this one's place. Where all were away, nobody did. */
  async #comeBack(others: readonly Row[]): Promise<void> {
    this.#isBackSince = Date.now()
    const saidAfter = ({ expires = 0 }: Row): boolean => expires - GONE_AFTER > this.#heardUntil
    if (others.some((row) => saidAfter(row) && memberOf(row.value).settled)) await this.#rename()
  }

  /** The others come back in the next moments as well: until then they are where they were. */
  get #isSettled(): boolean {
    return Date.now() > this.#isBackSince + GONE_AFTER
  }

  async #rename(): Promise<void> {
    const [before, id] = [this.id, randomUUID()]
    // The next name is known before anything has it.
    await this.#say(id)
    this.id = id
    this.#options.log('warn', 'The other gateways did not hear of this one for a while: it begins anew', {
      event: 'cluster-absent',
    })
    this.#options.onGone()
    await this.#rows.remove(before)
  }

  #missed(error: unknown): void {
    const isNew = this.#isBackSince !== NOT_YET
    this.#isBackSince = NOT_YET
    if (!isNew) return
    this.#options.log('warn', 'The other gateways cannot be told that this one lives', {
      detail: String(error),
      event: 'cluster-not-told',
    })
  }

  /** Where a gateway was a moment ago, without asking the store. */
  lastAddressOf(id: string): string | undefined {
    return this.#known.get(id)?.address
  }

  /** Where a gateway is; undefined when it is gone. */
  async addressOf(id: string, until: number = Date.now() + PATIENCE): Promise<string | undefined> {
    const known = this.lastAddressOf(id)
    try {
      const row = await this.#rows.get(id)
      if (row) return memberOf(row.value).address
      if (this.#isSettled) return undefined
      if (known !== undefined) return known
    } catch (error) {
      if (known === undefined) throw error
      return known
    }
    // It may be there, and not have said so since the store is back.
    if (Date.now() > until) throw new Error('The store takes nothing, so nobody knows where a gateway is')
    await sleep(BEAT)
    return this.addressOf(id, until)
  }

  /** How many there are. */
  async count(): Promise<number> {
    return (await this.#rows.list()).length
  }

  async leave(): Promise<void> {
    clearInterval(this.#timer)
    await this.#beating
    this.#hasLeft = true
    await this.#left.put(this.id, '', { ttl: LEFT_FOR }).catch(() => {})
    await this.#rows.remove(this.id).catch(() => {})
  }
}

function memberOf(text: string): Member {
  return JSON.parse(text) as Member
}
