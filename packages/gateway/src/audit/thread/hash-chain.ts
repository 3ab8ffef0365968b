import { hash } from 'node:crypto'
import { NONE } from '../waiting-event.ts'
import type { ChainShape } from './chain-shape.ts'

/** The last event of a chain. */
export interface ChainHead {
  readonly chain: string
  /** 0 when there is no event yet. */
  readonly sequence: number
  readonly fingerprint: string
  /** The type of the event. */
  readonly type: number
}

/** When an event was, and the number of its request. */
export interface Moment {
  readonly at: number
  readonly request: number
}

/** How a fingerprint was made: SHA-256 in hex, of JSON in the form of RFC 8785. */
const MADE = '"algorithm_id":3,"encoding_id":1,"serialization_id":2,"value":'
const FINGERPRINT = Buffer.from(`,"fingerprint":{${MADE}"`)
const BEFORE = Buffer.from(`,"prev_event":{"fingerprint":{${MADE}"`)
const NEWLINE = 10
const CLOSE_BRACE = 125
/** Bytes for the numbers, the ids and the two fingerprints of a line. */
const MOMENT_ROOM = 1024
const FIRST_SIZE = 64 * 1024
/** A buffer that many long events made larger is not kept. */
const MOST_KEPT = 4 * 1024 * 1024

/** The canonical form of a fingerprint. */
export function fingerprintJson(value: string): string {
  return `{${MADE}"${value}"}`
}

export function uidOf(chain: string, sequence: number): string {
  return `${chain}-${sequence}`
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
  #at = 0
  #time = '0'

  /** The lines since the last `clear`. They are overwritten after the next one. */
  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length)
  }

  clear(): void {
    this.#length = 0
    if (this.#buffer.length > MOST_KEPT) this.#buffer = Buffer.allocUnsafe(FIRST_SIZE)
  }

  /** Puts an event behind the last one of its chain, and returns the new head. */
  add({ at, request }: Moment, unmapped: string, shape: ChainShape, last: ChainHead): ChainHead {
    const { chain } = last
    const { type } = shape
    const sequence = last.sequence + 1
    const asked = request === NONE ? '' : `,"request":{"uid":"${request}"}`
    const begin = this.#length
    this.#reserve(shape.bytes + unmapped.length * 3 + MOMENT_ROOM)
    this.#copy(shape.front)
    this.#write(asked)
    this.#copy(shape.api)
    if (last.sequence > 0) this.#writeBefore(last)
    this.#copy(shape.middle)
    this.#write(`${sequence},"uid":"${uidOf(chain, sequence)}`)
    this.#copy(shape.end)
    this.#write(`${this.#timeOf(at)},"type_uid":${type},"unmapped":`)
    this.#write(unmapped)
    this.#buffer[this.#length++] = CLOSE_BRACE
    const fingerprint = hash('sha256', this.#buffer.subarray(begin, this.#length), 'hex')
    this.#insert(fingerprint, begin + shape.front.length + asked.length + shape.api.length)
    this.#buffer[this.#length++] = NEWLINE
    return { chain, sequence, fingerprint, type }
  }

  /** What like events have in common is bytes already: encoding it again would be most of the work. */
  #copy(bytes: Buffer): void {
    this.#buffer.set(bytes, this.#length)
    this.#length += bytes.length
  }

  #write(text: string): void {
    this.#length += this.#buffer.write(text, this.#length)
  }

  /** Events of one batch often have the same millisecond. */
  #timeOf(at: number): string {
    if (at !== this.#at) {
      this.#at = at
      this.#time = String(at)
    }
    return this.#time
  }

  #writeBefore({ chain, sequence, fingerprint, type }: ChainHead): void {
    this.#copy(BEFORE)
    this.#write(fingerprint)
    this.#write(`"},"type_uid":${type},"uid":"${uidOf(chain, sequence)}"}`)
  }

  /** Puts a fingerprint into the line whose rest stands there. */
  #insert(fingerprint: string, place: number): void {
    const length = FINGERPRINT.length + fingerprint.length + 2
    this.#buffer.copyWithin(place + length, place, this.#length)
    const end = this.#length + length
    this.#length = place
    this.#copy(FINGERPRINT)
    this.#write(fingerprint)
    this.#write('"}')
    this.#length = end
  }

  #reserve(length: number): void {
    const needed = this.#length + length
    if (needed <= this.#buffer.length) return
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#buffer.length * 2))
    this.#buffer.copy(larger, 0, 0, this.#length)
    this.#buffer = larger
  }
}
