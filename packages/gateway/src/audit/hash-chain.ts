import { hash } from 'node:crypto'
import { type AuditEvent, type EventShape, OCSF_VERSION, unmappedOf } from './audit-event.ts'

/** The last event of a chain. */
export interface ChainHead {
  readonly chain: string
  /** 0: there is none yet. */
  readonly sequence: number
  readonly fingerprint: string
  /** The type of the event. */
  readonly type: number
}

/** What like events have in common, as bytes. */
export interface ShapeBytes {
  readonly front: Uint8Array
  readonly api: Uint8Array
  readonly middle: Uint8Array
  readonly end: Uint8Array
  readonly type: number
}

/** How a fingerprint was made: SHA-256 in hex, of JSON in the form of RFC 8785. */
const MADE = '"algorithm_id":3,"encoding_id":1,"serialization_id":2,"value":'
const VERSION = JSON.stringify(OCSF_VERSION)
const NEWLINE = 10
const FIRST_SIZE = 64 * 1024
/** A buffer that many long events made larger is not kept. */
const MOST_KEPT = 4 * 1024 * 1024

export function uidOf(chain: string, sequence: number): string {
  return `${chain}-${sequence}`
}

/** The shape of events of one chain. `about` are the members of the metadata that all of its events have. */
export function bytesOf(shape: EventShape, chain: string, about: string): ShapeBytes {
  const { front, api, middle, end, type } = shape
  return {
    front: Buffer.from(front),
    api: Buffer.from(`${api}"attestation_list":[{"chain_uid":"${chain}"`),
    middle: Buffer.from(`${middle}{${about},"sequence":`),
    end: Buffer.from(end),
    type,
  }
}

/**
 * Writes events as lines into one buffer, each behind the one before. The fingerprint of an event is that of the whole
 * event without the fingerprint itself, and with that of the event before. So no event can be changed, taken out or
 * moved without all that follow. Events are written where they are hashed and stay there: texts of this length would
 * be copied several times, and live until the file is written.
 */
export class ChainLines {
  #buffer = Buffer.allocUnsafe(FIRST_SIZE)
  #length = 0

  /** The lines since the last `clear`. They are overwritten after the next one. */
  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length)
  }

  clear(): void {
    this.#length = 0
    if (this.#buffer.length > MOST_KEPT) this.#buffer = Buffer.allocUnsafe(FIRST_SIZE)
  }

  /** Puts an event behind the last one of its chain, and returns the new head. */
  add(event: AuditEvent, shape: ShapeBytes, last: ChainHead): ChainHead {
    const { chain } = last
    const { type } = shape
    const sequence = last.sequence + 1
    const begin = this.#length
    this.#put(shape.front)
    if (event.request !== undefined) this.#write(`,"request":{"uid":"${event.request}"}`)
    this.#put(shape.api)
    const place = this.#length
    this.#write(`${before(last)}}],`)
    this.#put(shape.middle)
    this.#write(`${sequence},"uid":"${uidOf(chain, sequence)}","version":${VERSION}}`)
    this.#put(shape.end)
    this.#write(`${event.at},"type_uid":${type},"unmapped":${unmappedOf(event)}}`)
    const fingerprint = hash('sha256', this.#buffer.subarray(begin, this.#length), 'hex')
    this.#insert(`,"fingerprint":{${MADE}"${fingerprint}"}`, place)
    this.#buffer[this.#length++] = NEWLINE
    return { chain, sequence, fingerprint, type }
  }

  #put(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#buffer.set(bytes, this.#length)
    this.#length += bytes.length
  }

  #write(text: string): void {
    this.#reserve(text.length * 3)
    this.#length += this.#buffer.write(text, this.#length)
  }

  /** The text is ASCII. Leaves room for the end of the line. */
  #insert(text: string, place: number): void {
    this.#reserve(text.length + 1)
    this.#buffer.copyWithin(place + text.length, place, this.#length)
    this.#buffer.write(text, place, 'latin1')
    this.#length += text.length
  }

  #reserve(length: number): void {
    const needed = this.#length + length
    if (needed <= this.#buffer.length) return
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#buffer.length * 2))
    this.#buffer.copy(larger, 0, 0, this.#length)
    this.#buffer = larger
  }
}

function before({ chain, sequence, fingerprint, type }: ChainHead): string {
  if (sequence === 0) return ''
  const made = `"fingerprint":{${MADE}"${fingerprint}"}`
  return `,"prev_event":{${made},"type_uid":${type},"uid":"${uidOf(chain, sequence)}"}`
}
