import { canonicalJson } from '@gantry/mcp/exchange'
import type { AuditModel } from '../model/index.ts'
import type { AuditEvent, Clean } from './audit-event.ts'
import { CleanTexts } from './clean-texts.ts'
import { EventShapes } from './event-shapes.ts'
import { ownEvent } from './own-event.ts'
import { EventPack, type Settle } from './packed-events.ts'
import { earlierChains, removeOld } from './retention.ts'
import { newChain } from './segments.ts'
import type { SigningKey } from './signing-key.ts'
import type { ChainHead } from './thread/hash-chain.ts'
import { hiddenSession, keyedHash } from './thread/keyed-hash.ts'
import { WriterClient, type Written } from './thread/writer-client.ts'
import { toSigningEvent, toWaitingEvent } from './to-waiting-event.ts'
import type { WaitingEvent } from './waiting-event.ts'

export interface TrailOptions {
  readonly settings: AuditModel
  readonly key: SigningKey
  /** Who writes: the name and version of this program. */
  readonly product: { readonly name: string; readonly version: string }
  readonly clean: Clean
  /** Whether the trail can be written: told when that changes. */
  onHealth?(error: Error | undefined): void
}

/** Told of lines that are in the file, to pass them on. */
export interface TrailReader {
  written(lines: string): void
}

/** Events that wait for the file, and characters of what they tell. Those beyond it are lost, and counted. */
const MOST_WAITING = 20_000
const MOST_CHARACTERS = 32 * 1024 * 1024
/** How long events are gathered, in milliseconds, when nothing waits for them. */
const GATHERED = 20
const RETRY = 1000

/**
 * The audit trail of one process: a chain of events in files that are only ever appended to. A call leaves a few numbers
 * and texts here. A thread makes lines of them and writes them.
 */
export class AuditTrail {
  readonly settings: AuditModel
  readonly chain: string = newChain()
  readonly #options: TrailOptions
  readonly #writer: WriterClient
  readonly #shapes: EventShapes
  readonly #readers = new Set<TrailReader>()
  /** A hash of a text that only holders of the key can compare with a guess. */
  readonly digest: (text: string) => string
  /** The last event that is in the file. */
  #last: ChainHead
  /** Oldest first. Events go to the last one. */
  readonly #packs: EventPack[] = []
  #waiting = 0
  /** Characters of the events that wait. */
  #characters = 0
  #timer: NodeJS.Timeout | NodeJS.Immediate | undefined
  #isFlushing: Promise<void> | undefined
  #lost = 0
  #lostSince = 0
  #error: Error | undefined
  #signing: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: TrailOptions) {
    const { settings, product, key } = options
    const { folder, maxFileBytes, sync } = settings
    const { chain } = this
    this.#options = options
    this.settings = settings
    const about =
      `"log_name":"audit","product":${canonicalJson({ ...product, vendor_name: 'Gantry' })},` +
      '"profiles":["ai_operation","record_integrity","security_control"]'
    this.#writer = new WriterClient({ chain, about, folder, maxFileBytes, sync, pem: key.pem })
    this.#shapes = new EventShapes(new CleanTexts(options.clean).clean, hiddenSession)
    this.digest = keyedHash(key.hashingKey())
    this.#last = { chain, sequence: 0, fingerprint: '', type: 0 }
  }

  /** The last event that is in the file. */
  get head(): ChainHead {
    return this.#last
  }

  /** Why nothing can be written now. */
  get error(): Error | undefined {
    return this.#error
  }

  /** Events that could not be kept since the start. */
  get lost(): number {
    return this.#lost
  }

  /** Begins the chain with what is known of the others: their ends cannot be cut off any more. */
  async open(): Promise<void> {
    const { settings, key } = this.#options
    const earlier = await earlierChains(settings.folder, this.chain).catch(() => [])
    const more = { earlier, key: key.publicKey, required: settings.required }
    this.add(ownEvent('gateway/start', more))
    await this.flush()
    await this.#removeOld(undefined)
    this.#signing = setInterval(() => this.#signHead('audit/head'), settings.signEvery).unref()
  }

  /** Puts an event into the trail, in a moment. */
  add(event: AuditEvent | WaitingEvent): void {
    this.#put('facts' in event ? event : toWaitingEvent(event))
  }

  /** The same; resolves when the event is on the disk, and rejects when it cannot be. */
  record(event: AuditEvent | WaitingEvent): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (error?: Error): void => (error ? reject(error) : resolve())
      this.#put('facts' in event ? event : toWaitingEvent(event), settle)
    })
  }

  follow(reader: TrailReader): () => void {
    this.#readers.add(reader)
    return () => this.#readers.delete(reader)
  }

  async flush(): Promise<void> {
    do await (this.#isFlushing ?? this.#flush())
    while (this.#waiting > 0 && !this.#error)
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    clearInterval(this.#signing)
    this.#tellLost()
    this.#signHead('gateway/stop')
    await this.flush()
    this.#stopTimer()
    await this.#writer.close().catch(() => {})
  }

  #signHead(operation: string): void {
    this.#put(toSigningEvent(ownEvent(operation, {})))
  }

  #put(event: WaitingEvent, settle?: Settle): void {
    if (this.#waiting >= MOST_WAITING || this.#characters + event.length > MOST_CHARACTERS) {
      this.#lose(1)
      settle?.(this.#error ?? new Error('too many events wait to be written'))
      return
    }
    const pack = this.#openPack()
    pack.add(event, this.#shapes.of, settle)
    this.#waiting++
    this.#characters += event.length
    if (this.#isFlushing || (this.#timer && this.#error)) return
    const isUrgent = settle !== undefined || pack.isFull
    if (isUrgent || !this.#timer) this.#schedule(isUrgent ? 0 : GATHERED)
  }

  #openPack(): EventPack {
    const last = this.#packs.at(-1)
    if (last && !last.isClosed && !last.isFull) return last
    const pack = new EventPack()
    this.#packs.push(pack)
    return pack
  }

  get #isAwaited(): boolean {
    return this.#packs.some(({ isAwaited }) => isAwaited)
  }

  #schedule(delay: number): void {
    this.#stopTimer()
    const flush = (): void => void this.#flush()
    this.#timer = delay === 0 ? setImmediate(flush) : setTimeout(flush, delay)
  }

  #lose(events: number): void {
    if (this.#lostSince === 0) this.#lostSince = Date.now()
    this.#lost += events
  }

  #stopTimer(): void {
    clearTimeout(this.#timer as NodeJS.Timeout)
    clearImmediate(this.#timer as NodeJS.Immediate)
    this.#timer = undefined
  }

  #flush(): Promise<void> {
    // A timer that is forgotten would start a second row of them.
    this.#stopTimer()
    this.#isFlushing ??= this.#writePacks().finally(() => {
      this.#isFlushing = undefined
      if (this.#waiting > 0) this.#schedule(this.#error ? RETRY : this.#isAwaited ? 0 : GATHERED)
    })
    return this.#isFlushing
  }

  /** Writes what waits now. What comes meanwhile is gathered again: many small writes cost several times as much. */
  async #writePacks(): Promise<void> {
    for (let left = this.#packs.length; left > 0; left--) {
      const pack = this.#packs[0]!
      pack.isClosed = true
      let written: Written
      try {
        written = await this.#writer.write(pack.packed(this.#readers.size > 0))
      } catch (thrown) {
        return this.#failed(thrown as Error)
      }
      this.#packs.shift()
      this.#waiting -= pack.size
      this.#characters -= pack.characters
      this.#written(pack, written)
    }
  }

  #written(pack: EventPack, { head, lines, unsynced, full }: Written): void {
    this.#last = head
    if (lines !== undefined) for (const reader of this.#readers) reader.written(lines)
    pack.settle(unsynced)
    if (unsynced) this.#fails(unsynced)
    else this.#recovered()
    if (full !== undefined) void this.#removeOld(full)
  }

  /** Refuses the events that callers wait for; they are lost. The other events are tried again. */
  #failed(error: Error): void {
    for (const pack of this.#packs.splice(0)) {
      const { size, characters } = pack
      pack.refuse(error)
      if (size > pack.size) this.#lose(size - pack.size)
      this.#waiting -= size - pack.size
      this.#characters -= characters - pack.characters
      if (pack.size > 0) this.#packs.push(pack)
    }
    this.#fails(error)
  }

  #fails(error: Error): void {
    if (!this.#error) this.#options.onHealth?.(error)
    this.#error = error
  }

  #recovered(): void {
    if (!this.#error) return
    this.#error = undefined
    this.#options.onHealth?.(undefined)
    if (!this.#isClosed) this.#tellLost()
  }

  #tellLost(): void {
    if (this.#lostSince === 0) return
    this.add(ownEvent('audit/lost', { events: this.#lost, since: this.#lostSince }, 'failure'))
    this.#lostSince = 0
  }

  async #removeOld(current: string | undefined): Promise<void> {
    await removeOld(this.settings, current, (removed) =>
      this.record(ownEvent('audit/removed', { removed })),
    ).catch(() => {})
  }
}
