import { randomUUID } from 'node:crypto'
import type { Rows, Store } from '../store/index.ts'
import type { Log } from '../telemetry/log.ts'

/** A gateway that is not heard of for so long is gone. */
const GONE_AFTER = 2_000
const BEAT = 400

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
  /** When it was first heard of, or heard of again after an absence. */
  readonly since: number
}

/** The gateways that work together: each says at short intervals that it lives, and where it is. */
export class Members {
  /** A new one after an absence in which others went on: by then they own what this one owned. */
  id: string = randomUUID()
  readonly #options: MembersOptions
  readonly #rows: Rows
  /** The members at the last heartbeat. They stay while the store is away. */
  #known = new Map<string, Member>()
  #timer: NodeJS.Timeout | undefined
  #since = Date.now()
  #isBackSince = 0
  #heardUntil = 0
  #beating: Promise<void> | undefined

  private constructor(options: MembersOptions) {
    this.#options = options
    this.#rows = options.store.rows({ name: 'members' })
  }

  static async join(options: MembersOptions): Promise<Members> {
    const members = new Members(options)
    await members.#beat()
    members.#timer = setInterval(() => {
      members.#beating ??= members
        .#beat()
        .catch((error) => members.#missed(error))
        .finally(() => {
          members.#beating = undefined
        })
    }, BEAT)
    members.#timer.unref()
    return members
  }

  async #beat(): Promise<void> {
    const began = Date.now()
    const others = await this.#read()
    if (this.#heardUntil !== 0 && began > this.#heardUntil) this.#comeBack(others)
    const own: Member = { address: this.#options.address, since: this.#since }
    await this.#rows.put(this.id, JSON.stringify(own), { ttl: GONE_AFTER })
    this.#heardUntil = began + GONE_AFTER
    this.#known = this.#isSettled ? others : new Map([...this.#known, ...others])
  }

  /** Where all were away, because the store was, nobody took anything over. */
  #comeBack(others: ReadonlyMap<string, Member>): void {
    if ([...others.values()].some(({ since }) => since < this.#heardUntil)) this.#rename()
    this.#since = Date.now()
    this.#isBackSince = this.#since
  }

  /** The others come back in the next moments as well: until then they are where they were. */
  get #isSettled(): boolean {
    return Date.now() > this.#isBackSince + GONE_AFTER
  }

  async #read(): Promise<Map<string, Member>> {
    const rows = await this.#rows.list()
    const others = rows.filter(({ key }) => key !== this.id)
    return new Map(others.map(({ key, value }) => [key, JSON.parse(value) as Member]))
  }

  #rename(): void {
    this.id = randomUUID()
    this.#options.log('warn', 'The other gateways did not hear of this one for a while: it begins anew', {
      event: 'cluster-absent',
    })
    this.#options.onGone()
  }

  #missed(error: unknown): void {
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
  async addressOf(id: string): Promise<string | undefined> {
    const known = this.lastAddressOf(id)
    try {
      const row = await this.#rows.get(id)
      if (row) return (JSON.parse(row.value) as Member).address
      return this.#isSettled ? undefined : known
    } catch (error) {
      if (known === undefined) throw error
      return known
    }
  }

  /** How many there are. */
  async count(): Promise<number> {
    return (await this.#rows.list()).length
  }

  async leave(): Promise<void> {
    clearInterval(this.#timer)
    await this.#beating
    await this.#rows.remove(this.id).catch(() => {})
  }
}
