import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { isStoreAway, type Row, type Rows, type Store, StoreError } from '../store/index.ts'
import type { Log } from '../telemetry/log.ts'
import { Attendance, GONE_AFTER } from './attendance.ts'

const BEAT = 300
/** How long an address is looked for while the store is just back, in milliseconds. */
const PATIENCE = 2 * GONE_AFTER

export interface MembersOptions {
  readonly store: Store
  /** Where the others reach this gateway. */
  readonly address: string
  /** With what the ids of those begin that reach each other. Others that use the same store begin otherwise. */
  readonly scope: string
  readonly log: Log
  /** This gateway stood still, or could not reach the store, for so long that others took its place. */
  readonly onGone: () => void
  /** The store was away, or was emptied: it may have lost what others have to know of this gateway. */
  readonly onDoubt: () => void
}

/** What a gateway says of itself. */
interface Member {
  readonly address: string
  /** Whether it takes the place of others that are gone. Not while the store is just back: they come back as well. */
  readonly settled: boolean
}

/** The gateways that work together: each says at short intervals that it lives, and where it is. */
export class Members {
  /** A new id after an absence in which other gateways went on: by then they own what this gateway owned. */
  id: string
  readonly #options: MembersOptions
  readonly #rows: Rows
  /** The members at the last heartbeat. They stay while the store is away. */
  #known = new Map<string, Member>()
  #timer: NodeJS.Timeout | undefined
  readonly #attendance = new Attendance()
  /** Of the row of the last heartbeat. A row with another version, or none, means that the store has lost something. */
  #version: number | undefined
  #beating: Promise<void> | undefined
  /** By gateway: functions that end requests which wait for its answer. */
  readonly #waiting = new Map<string, Set<() => void>>()

  private constructor(options: MembersOptions) {
    this.#options = options
    this.id = this.#newId()
    this.#rows = options.store.rows({ name: 'members' })
  }

  static async join(options: MembersOptions): Promise<Members> {
    const members = new Members(options)
    await members.#beat().catch((error) => {
      if (!isStoreAway(error)) throw error
      members.#missed(error)
    })
    members.#timer = setInterval(() => members.#tick(), BEAT)
    members.#timer.unref()
    return members
  }

  #newId(): string {
    return this.scope + randomUUID()
  }

  get scope(): string {
    return this.#options.scope
  }

  #tick(): void {
    const end = this.#attendance.beat()
    this.#beating ??= this.#beat()
      .catch((error) => this.#missed(error))
      .finally(() => {
        end()
        this.#beating = undefined
      })
  }

  async #beat(): Promise<void> {
    const isFound = await this.#say(this.id)
    const rows = await this.#rows.list({ prefix: this.scope })
    const until = rows.find(({ key }) => key === this.id)?.expires
    const others = rows.filter(({ key }) => key !== this.id)
    const wasAway = this.#attendance.reached()
    if (until !== undefined && this.#attendance.isAfterAbsence(until)) await this.#comeBack(others)
    this.#attendance.heardUntil(until)
    const before = this.#known
    const heard = new Map(others.map(({ key, value }) => [key, memberOf(value)]))
    this.#known = this.#attendance.isSettled ? heard : new Map([...before, ...heard])
    for (const id of before.keys()) if (!this.#known.has(id)) this.#lose(id)
    if (wasAway || !isFound) this.#options.onDoubt()
  }

  /** Returns whether the row was there as it was written the last time. */
  async #say(id: string): Promise<boolean> {
    const own: Member = { address: this.#options.address, settled: this.#attendance.isSettled }
    const text = JSON.stringify(own)
    const version = await this.#rows.swap(id, this.#version, text, { ttl: GONE_AFTER })
    this.#version = version ?? (await this.#rows.put(id, text, { ttl: GONE_AFTER }))
    return version !== undefined
  }

  /** A machine that lost its power, or a process that stands still, ends no connection. */
  #lose(id: string): void {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    for (const end of waiting ?? []) end()
  }

  /** Calls `end` when that gateway is gone. The function returned takes that back. */
  untilGone(id: string, end: () => void): () => void {
    const waiting = this.#waiting.get(id) ?? new Set()
    this.#waiting.set(id, waiting.add(end))
    return () => {
      waiting.delete(end)
      if (waiting.size === 0 && this.#waiting.get(id) === waiting) this.#waiting.delete(id)
    }
  }

  /** See `Attendance`. */
  get isLate(): boolean {
    return this.#attendance.isLate
  }

  /**
   * Takes a new id if another gateway was alive meanwhile, because that gateway may have taken this gateway's place. If
   * all gateways were away, no gateway did.
   */
  async #comeBack(others: readonly Row[]): Promise<void> {
    this.#attendance.cameBack()
    const livedOn = ({ expires = 0, value }: Row): boolean =>
      this.#attendance.isAfterAbsence(expires) && memberOf(value).settled
    if (others.some(livedOn)) await this.#rename()
  }

  async #rename(): Promise<void> {
    const [before, id] = [this.id, this.#newId()]
    // The new id is written before anything uses it.
    await this.#say(id)
    this.id = id
    this.#options.log('warn', 'The other gateways did not hear of this one for a while: it begins anew', {
      event: 'cluster-absent',
    })
    this.#options.onGone()
    await this.#rows.remove(before)
  }

  #missed(error: unknown): void {
    if (!this.#attendance.missed()) return
    this.#options.log('warn', 'The other gateways cannot be told that this one lives', {
      detail: String(error),
      event: 'cluster-not-told',
    })
  }

  /** Where a gateway was a moment ago, without asking the store. */
  lastAddressOf(id: string): string | undefined {
    return this.#known.get(id)?.address
  }

  /** The other gateways, as they were a moment ago. */
  get others(): readonly string[] {
    return [...this.#known.keys()]
  }

  /** Where a gateway is; undefined when it is gone. */
  async addressOf(id: string, until: number = Date.now() + PATIENCE): Promise<string | undefined> {
    const known = this.lastAddressOf(id)
    try {
      const row = await this.#rows.get(id)
      if (row) return memberOf(row.value).address
      if (this.#attendance.isSettled) return undefined
      if (known !== undefined) return known
    } catch (error) {
      if (known === undefined) throw error
      return known
    }
    // The gateway may live, and not have written its row since the store is back.
    if (Date.now() > until) {
      throw new StoreError('unavailable', 'The store takes nothing, so nobody knows where a gateway is')
    }
    await sleep(BEAT)
    return this.addressOf(id, until)
  }

  /** How many there are. */
  async count(): Promise<number> {
    return (await this.#rows.list({ prefix: this.scope })).length
  }

  /** The last step: what had begun here is over. */
  async leave(): Promise<void> {
    clearInterval(this.#timer)
    await this.#beating
    await this.#rows.remove(this.id).catch(() => {})
  }
}

function memberOf(text: string): Member {
  return JSON.parse(text) as Member
}
