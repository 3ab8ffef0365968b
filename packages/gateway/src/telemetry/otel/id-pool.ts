import { randomFillSync } from 'node:crypto'

const TRACE = 32
const SPAN = 16
const BYTES = 4096
const NOTHING = '0'.repeat(SPAN)

/** Ids of traces and spans: every call needs some, so many are made at once. */
export class IdPool {
  readonly #bytes = Buffer.alloc(BYTES)
  #hex = ''
  #at = 0

  trace(): string {
    return this.#take(TRACE)
  }

  span(): string {
    return this.#take(SPAN)
  }

  #take(length: number): string {
    if (this.#at + length > this.#hex.length) this.#fill()
    const id = this.#hex.slice(this.#at, this.#at + length)
    this.#at += length
    return id
  }

  /** All zeros mean that there is no id (W3C Trace Context, section 3.2.2), so that nothing has so many of them. */
  #fill(): void {
    do this.#hex = randomFillSync(this.#bytes).toString('hex')
    while (this.#hex.includes(NOTHING))
    this.#at = 0
  }
}
