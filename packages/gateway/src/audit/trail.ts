import { canonicalJson } from '@gantry/mcp/exchange'
import type { AuditModel } from '../model/index.ts'
import { type AuditEvent, type Clean, waitingEvent, type WaitingEvent } from './audit-event.ts'
import { type ChainHead, ChainLines } from './hash-chain.ts'
import { type Entry, eventOf, lengthOf, settlerOf } from './trail-entry.ts'
import { CleanTexts } from './clean-texts.ts'
import { EventShapes } from './event-shapes.ts'
import { earlierChains, removeOld } from './retention.ts'
import { hiddenSession, keyedHash } from './keyed-hash.ts'
import { SegmentWriter } from './segment-writer.ts'
import { newChain } from './segments.ts'
import { ownEvent } from './own-event.ts'
import type { SigningKey } from './signing-key.ts'

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
/** Written together, unless they are long. */
const BATCH = 1000
const LONG_BATCH = 4 * 1024 * 1024
/** How long events are gathered, in milliseconds, when nothing waits for them. */
const GATHERED = 20
/** So many events become lines before they are written: what lives until then is copied by the collector, and grows old. */
const FORMED_TOGETHER = 32
/** Bytes of lines that wait for the file. Further events wait as they are. */
const MOST_FORMED = 2 * 1024 * 1024
const RETRY = 1000

/** The audit trail of one process: a chain of events in files that are only ever appended to. */
export class AuditTrail {
  readonly settings: AuditModel
  readonly chain: string = newChain()
  readonly #options: TrailOptions
  readonly #writer: SegmentWriter
  readonly #shapes: EventShapes
  readonly #lines = new ChainLines()
  readonly #readers = new Set<TrailReader>()
  /** A hash of a text that only holders of the key can compare with a guess. */
  readonly digest: (text: string) => string
  /** The last event that is in the file. */
  #last: ChainHead
  /** The last event that is a line. */
  #formed: ChainHead
  #waiting: Entry[] = []
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
    const { settings, product } = options
    this.#options = options
    this.settings = settings
    this.#writer = new SegmentWriter(this.chain, settings)
    const about =
      `"log_name":"audit","product":${canonicalJson({ ...product, vendor_name: 'Gantry' })},` +
      '"profiles":["ai_operation","record_integrity","security_control"]'
    const { clean } = new CleanTexts(options.clean)
    this.#shapes = new EventShapes({ chain: this.chain, about, clean, hide: hiddenSession })
    this.digest = keyedHash(options.key.hashingKey())
    this.#last = { chain: this.chain, sequence: 0, fingerprint: '', type: 0 }
    this.#formed = this.#last
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
    await this.#removeOld()
    this.#signing = setInterval(() => this.#signHead('audit/head'), settings.signEvery).unref()
  }

  /** Puts an event into the trail, in a moment. */
  add(event: AuditEvent | WaitingEvent): void {
    this.#put('facts' in event ? event : waitingEvent(event))
  }

  /** The same; resolves when the event is on the disk, and rejects when it cannot be. */
  record(event: AuditEvent | WaitingEvent): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (error?: Error): void => (error ? reject(error) : resolve())
      this.#put({ event: 'facts' in event ? event : waitingEvent(event), settle })
    })
  }

  follow(reader: TrailReader): () => void {
    this.#readers.add(reader)
    return () => this.#readers.delete(reader)
  }

  async flush(): Promise<void> {
    do await (this.#isFlushing ?? this.#flush())
    while (this.#unwritten > 0 && !this.#error)
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
    const { key } = this.#options
    this.#put((last) => {
      const { sequence, fingerprint } = last
      const head = { fingerprint, key: key.publicKey, sequence, signature: key.sign(last) }
      return ownEvent(operation, { head })
    })
  }

  /** Events that are not in the file. */
  get #unwritten(): number {
    return this.#waiting.length + this.#formed.sequence - this.#last.sequence
  }

  #put(entry: Entry): void {
    const length = lengthOf(entry)
    if (this.#unwritten >= MOST_WAITING || this.#characters + length > MOST_CHARACTERS) {
      this.#lose()
      settlerOf(entry)?.(this.#error ?? new Error('too many events wait to be written'))
      return
    }
    this.#waiting.push(entry)
    this.#characters += length
    if (this.#timer ? this.#error : this.#isFlushing) return
    const isAwaited = settlerOf(entry) !== undefined
    if (isAwaited || !this.#timer) this.#schedule(isAwaited ? 0 : GATHERED)
    if (this.#waiting.length >= FORMED_TOGETHER) this.#formEarly()
  }

  /** What is waited for may be refused, and so is in no chain before it is written. */
  #formEarly(): void {
    if (this.#isFlushing || this.#lines.length >= MOST_FORMED || this.#isAwaited) return
    this.#form(this.#waiting)
    this.#waiting = []
    this.#characters = 0
  }

  #form(entries: readonly Entry[]): void {
    let last = this.#formed
    for (const entry of entries) {
      const event = eventOf(entry, last)
      last = this.#lines.add(event, this.#shapes.of(event.facts), last)
    }
    this.#formed = last
  }

  get #isAwaited(): boolean {
    return this.#waiting.some((entry) => settlerOf(entry))
  }

  #schedule(delay: number): void {
    this.#stopTimer()
    const flush = (): void => void this.#flush()
    this.#timer = delay === 0 ? setImmediate(flush) : setTimeout(flush, delay)
  }

  #lose(): void {
    if (this.#lost++ === 0 || this.#lostSince === 0) this.#lostSince = Date.now()
  }

  #stopTimer(): void {
    clearTimeout(this.#timer as NodeJS.Timeout)
    clearImmediate(this.#timer as NodeJS.Immediate)
    this.#timer = undefined
  }

  #flush(): Promise<void> {
    // A timer that is forgotten would start a second row of them.
    this.#stopTimer()
    this.#isFlushing ??= this.#writeBatches().finally(() => {
      this.#isFlushing = undefined
      if (this.#unwritten > 0) this.#schedule(this.#error ? RETRY : this.#isAwaited ? 0 : GATHERED)
      else if (!this.#isClosed) this.#writer.syncSoon(() => this.#isBusy)
    })
    return this.#isFlushing
  }

  /** Writes what waits now. What comes meanwhile is gathered again: many small writes cost several times as much. */
  async #writeBatches(): Promise<void> {
    for (let left = this.#waiting.length; left > 0 || this.#lines.length > 0; ) {
      const batch = this.#takeBatch(left)
      left -= batch.length
      try {
        await this.#writeBatch(batch)
      } catch (thrown) {
        return this.#failed(batch, thrown as Error)
      }
    }
  }

  #takeBatch(most: number): Entry[] {
    let length = 0
    let count = 0
    while (count < Math.min(BATCH, most) && length < LONG_BATCH) length += lengthOf(this.#waiting[count++]!)
    this.#characters -= length
    return this.#waiting.splice(0, count)
  }

  async #writeBatch(batch: readonly Entry[]): Promise<void> {
    const formed = this.#formed
    const { length } = this.#lines
    this.#form(batch)
    const { bytes } = this.#lines
    try {
      await this.#writer.append(bytes)
    } catch (error) {
      this.#lines.cut(length)
      this.#formed = formed
      throw error
    }
    this.#last = this.#formed
    const isAwaited = batch.some((entry) => settlerOf(entry))
    if (this.#readers.size > 0) this.#tell(bytes.toString())
    this.#lines.clear()
    if (isAwaited || this.#writer.isSyncDue) await this.#writer.sync()
    if (isAwaited) for (const entry of batch) settlerOf(entry)?.()
    this.#recovered()
    if (await this.#writer.rotate()) void this.#removeOld()
  }

  /** A burst that goes on syncs by itself. */
  get #isBusy(): boolean {
    return this.#isFlushing !== undefined || this.#isClosed
  }

  #tell(lines: string): void {
    for (const reader of this.#readers) reader.written(lines)
  }

  /** Refuses the events that callers wait for; they are lost. The other events are tried again. */
  #failed(batch: readonly Entry[], error: Error): void {
    const kept: Entry[] = []
    for (const entry of batch) {
      const settle = settlerOf(entry)
      if (!settle) kept.push(entry)
      else {
        this.#lose()
        settle(error)
      }
    }
    this.#waiting = [...kept, ...this.#waiting]
    for (const entry of kept) this.#characters += lengthOf(entry)
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

  async #removeOld(): Promise<void> {
    const { file } = this.#writer.segment ?? {}
    await removeOld(this.settings, file, (removed) =>
      this.record(ownEvent('audit/removed', { removed })),
    ).catch(() => {})
  }
}
