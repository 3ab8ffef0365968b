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

/** The gateways that work together: each says at short intervals that it lives, and where it is. */
export class Members {
  /** A new one after every absence: by then other gateways own what this one owned. */
  id: string = randomUUID()
  readonly #options: MembersOptions
  readonly #rows: Rows
  #timer: NodeJS.Timeout | undefined
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
    if (this.#heardUntil !== 0 && began > this.#heardUntil) this.#rename()
    await this.#rows.put(this.id, this.#options.address, { ttl: GONE_AFTER })
    this.#heardUntil = began + GONE_AFTER
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

  /** Where a gateway is; undefined when it is gone. */
  async addressOf(id: string): Promise<string | undefined> {
    return (await this.#rows.get(id))?.value
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
