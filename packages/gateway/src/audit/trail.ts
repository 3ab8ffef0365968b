import { createHmac, hash } from 'node:crypto'
import { canonicalJson } from '@gantry/mcp/exchange'
import type { AuditModel } from '../model/index.ts'
import type { AuditActor, AuditEvent, Clean } from './audit-event.ts'
import { type ChainHead, ChainLines } from './hash-chain.ts'
import { CleanTexts } from './clean-texts.ts'
import { EventShapes } from './event-shapes.ts'
import { earlierChains, removeOld } from './retention.ts'
import { keyedHash } from './keyed-hash.ts'
import { SegmentWriter } from './segment-writer.ts'
import { newChain } from './segments.ts'
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

interface Entry {
  /** A function makes an event that depends on the one before it. */
  readonly event: AuditEvent | ((last: ChainHead) => AuditEvent)
  readonly settle?: ((error?: Error) => void) | undefined
}

/** Events that wait for the file. Those beyond it are lost, and counted. */
const MOST_WAITING = 20_000
/** Written together. */
const BATCH = 1000
/** How long events are gathered, in milliseconds, when nothing waits for them. */
const GATHERED = 20
const RETRY = 1000

export const GATEWAY: AuditActor = { from: 'gateway' }

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
  #last: ChainHead
  #waiting: Entry[] = []
  #timer: NodeJS.Timeout | NodeJS.Immediate | undefined
  #isFlushing: Promise<void> | undefined
  /** When it began, by the clock that never jumps. */
  #syncedAt = 0
  #syncing: NodeJS.Timeout | undefined
  #lost = 0
  #lostSince = 0
  #error: Error | undefined
  #signing: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(options: TrailOptions) {
    const { settings, product } = options
    this.#options = options
    this.settings = settings
    this.#writer = new SegmentWriter(settings.folder, this.chain, settings.maxFileBytes)
    const about =
      `"log_name":"audit","product":${canonicalJson({ ...product, vendor_name: 'Gantry' })},` +
      '"profiles":["ai_operation","record_integrity","security_control"]'
    const { clean } = new CleanTexts(options.clean)
    this.#shapes = new EventShapes({ chain: this.chain, about, clean, hide: hiddenSession })
    this.digest = keyedHash(hmacKey(options.key))
    this.#last = { chain: this.chain, sequence: 0, fingerprint: '', type: 0 }
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
  add(event: AuditEvent): void {
    this.#put({ event })
  }

  /** The same; resolves when the event is on the disk, and rejects when it cannot be. */
  record(event: AuditEvent): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (error?: Error): void => (error ? reject(error) : resolve())
      this.#put({ event, settle })
    })
  }

  follow(reader: TrailReader): () => void {
    this.#readers.add(reader)
    return () => this.#readers.delete(reader)
  }

  async flush(): Promise<void> {
    do await (this.#isFlushing ?? this.#flush())
    while (this.#waiting.length > 0 && !this.#error)
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    clearInterval(this.#signing)
    this.#tellLost()
    this.#signHead('gateway/stop')
    await this.flush()
    clearTimeout(this.#timer as NodeJS.Timeout)
    clearTimeout(this.#syncing)
    await this.#writer.close().catch(() => {})
  }

  #signHead(operation: string): void {
    const { key } = this.#options
    const event = (last: ChainHead): AuditEvent => {
      const { sequence, fingerprint } = last
      const head = { fingerprint, key: key.publicKey, sequence, signature: key.sign(last) }
      return ownEvent(operation, { head })
    }
    this.#put({ event })
  }

  #put(entry: Entry): void {
    if (this.#waiting.length >= MOST_WAITING) {
      this.#lose()
      return entry.settle?.(this.#error ?? new Error('too many events wait to be written'))
    }
    this.#waiting.push(entry)
    if (entry.settle && this.#timer && !this.#error) this.#schedule(0)
    else if (!this.#timer && !this.#isFlushing) this.#schedule(entry.settle ? 0 : GATHERED)
  }

  #schedule(delay: number): void {
    clearTimeout(this.#timer as NodeJS.Timeout)
    clearImmediate(this.#timer as NodeJS.Immediate)
    const flush = (): void => void this.#flush()
    this.#timer = delay === 0 ? setImmediate(flush) : setTimeout(flush, delay)
  }

  #lose(): void {
    if (this.#lost++ === 0 || this.#lostSince === 0) this.#lostSince = Date.now()
  }

  #flush(): Promise<void> {
    this.#timer = undefined
    this.#isFlushing ??= this.#writeBatches().finally(() => {
      this.#isFlushing = undefined
      if (this.#waiting.length > 0) this.#schedule(this.#error ? RETRY : 0)
      else if (!this.#isClosed) this.#syncSoon()
    })
    return this.#isFlushing
  }

  async #writeBatches(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, BATCH)
      try {
        await this.#writeBatch(batch)
      } catch (thrown) {
        return this.#failed(batch, thrown as Error)
      }
    }
  }

  async #writeBatch(batch: readonly Entry[]): Promise<void> {
    let last = this.#last
    this.#lines.clear()
    for (const { event } of batch) {
      const made = typeof event === 'function' ? event(last) : event
      last = this.#lines.add(made, this.#shapes.of(made), last)
    }
    const { bytes } = this.#lines
    await this.#writer.append(bytes)
    this.#last = last
    if (batch.some(({ settle }) => settle) || this.#syncDue <= 0) await this.#sync()
    for (const { settle } of batch) settle?.()
    if (this.#readers.size > 0) this.#tell(bytes.toString())
    this.#recovered()
    if (await this.#writer.rotate()) void this.#removeOld()
  }

  #tell(lines: string): void {
    for (const reader of this.#readers) reader.written(lines)
  }

  async #sync(): Promise<void> {
    await this.#writer.sync()
    this.#syncedAt = performance.now()
  }

  /** In how many milliseconds what was written has to be safe. */
  get #syncDue(): number {
    return this.#syncedAt + this.settings.sync - performance.now()
  }

  /** The last events of a burst are synced as well: by one timer, as a disk that syncs all the time writes slowly. */
  #syncSoon(): void {
    if (this.#syncing || !this.#writer.isDirty) return
    const timer = setTimeout(
      () => {
        this.#syncing = undefined
        // A burst that goes on syncs by itself.
        if (this.#isFlushing || this.#isClosed) return
        if (this.#syncDue > 0) this.#syncSoon()
        else this.#sync().catch(() => {})
      },
      Math.max(this.#syncDue, 1),
    )
    this.#syncing = timer.unref()
  }

  /** What was waited for is refused, and lost. The rest is tried again. */
  #failed(batch: readonly Entry[], error: Error): void {
    for (const { settle } of batch) {
      if (settle) this.#lose()
      settle?.(error)
    }
    this.#waiting = [...batch.filter(({ settle }) => !settle), ...this.#waiting]
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

/** What the gateway does by itself. */
export function ownEvent(
  operation: string,
  more: Readonly<Record<string, unknown>>,
  status: AuditEvent['status'] = 'success',
): AuditEvent {
  return {
    at: Date.now(),
    operation,
    activity: 'other',
    actor: GATEWAY,
    status,
    outcome: status === 'success' ? 'ok' : 'error',
    more,
  }
}

function hiddenSession(session: string): string {
  return hash('sha256', session, 'base64url').slice(0, 22)
}

/** The same for all processes that share the key. */
function hmacKey(key: SigningKey): Buffer {
  const head = { chain: 'arguments', sequence: 0, fingerprint: '', type: 0 }
  return createHmac('sha256', 'gantry audit arguments').update(key.sign(head)).digest()
}
