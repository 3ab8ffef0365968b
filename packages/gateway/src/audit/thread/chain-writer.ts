import { NUMBERS, type PackedEvents } from '../packed-events.ts'
import { SigningKey } from '../signing-key.ts'
import type { EventExtra } from '../waiting-event.ts'
import { type ChainShape, chainShape } from './chain-shape.ts'
import { type ChainHead, ChainLines } from './hash-chain.ts'
import { keyedHash } from './keyed-hash.ts'
import { SegmentWriter } from './segment-writer.ts'
import { argumentsOf, unmappedOf } from './unmapped.ts'
import type { Written, WriterSettings } from './writer-client.ts'

/** Makes lines of events, each behind the one before, and appends them to the files of one chain. */
export class ChainWriter {
  readonly #settings: WriterSettings
  readonly #segments: SegmentWriter
  readonly #lines = new ChainLines()
  readonly #key: SigningKey
  readonly #digest: (text: string) => string
  /** The last event that is in the file. */
  #last: ChainHead
  #isWriting = false

  constructor(settings: WriterSettings) {
    this.#settings = settings
    this.#segments = new SegmentWriter(settings)
    this.#key = new SigningKey(settings.pem)
    this.#digest = keyedHash(this.#key.hashingKey())
    this.#last = { chain: settings.chain, sequence: 0, fingerprint: '', type: 0 }
  }

  /** Rejects when the lines could not be written. Nothing of them is left in the file then. */
  async write(events: PackedEvents): Promise<Written> {
    this.#isWriting = true
    try {
      const head = this.#form(events)
      const { bytes } = this.#lines
      await this.#segments.append(bytes)
      this.#last = head
      const lines = events.wantsLines ? bytes.toString() : undefined
      return { head, lines, ...(await this.#finish(events.isAwaited)) }
    } finally {
      this.#lines.clear()
      this.#isWriting = false
      this.#segments.syncSoon(() => this.#isWriting)
    }
  }

  async close(): Promise<undefined> {
    await this.#segments.close()
  }

  /** The events are in the file. What fails now leaves them there. */
  async #finish(isAwaited: boolean): Promise<Pick<Written, 'unsynced' | 'full'>> {
    const { file } = this.#segments
    try {
      if (isAwaited || this.#segments.isSyncDue) await this.#segments.sync()
      return { full: (await this.#segments.rotate()) ? file : undefined, unsynced: undefined }
    } catch (error) {
      return { full: undefined, unsynced: error as Error }
    }
  }

  #form({ shapes, numbers, args, extras }: PackedEvents): ChainHead {
    const { chain, about } = this.#settings
    const known = shapes.map((shape) => chainShape(shape, chain, about))
    let last = this.#last
    for (let at = 0, row = 0; at < args.length; at++, row += NUMBERS) {
      const shape = known[numbers[row]!]!
      const moment = { at: numbers[row + 1]!, request: numbers[row + 2]! }
      const extra = extras.get(at)
      const told = extra?.signs ? this.#signature(last) : extra?.unmapped
      const unmapped = told ?? this.#unmapped(shape, numbers, row, args[at], extra)
      last = this.#lines.add(moment, unmapped, shape, last)
    }
    return last
  }

  #unmapped(
    shape: ChainShape,
    numbers: Float64Array,
    row: number,
    args: string | undefined,
    extra: EventExtra | undefined,
  ): string {
    const measured = { took: numbers[row + 3]!, targetMs: numbers[row + 4]!, bytes: numbers[row + 5]! }
    return unmappedOf(shape, measured, argumentsOf(args, this.#digest, extra), extra)
  }

  /** Names the event before it, in the canonical form. */
  #signature(last: ChainHead): string {
    const { sequence, fingerprint } = last
    const head = { fingerprint, key: this.#key.publicKey, sequence, signature: this.#key.sign(last) }
    return JSON.stringify({ head, outcome: 'ok' })
  }
}
