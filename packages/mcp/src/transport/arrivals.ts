import type { McpError } from '../jsonrpc/index.ts'

/** Gives room to long messages that are on their way in, over many connections. */
export interface Arrivals {
  /** A message has become long. `origin`: the exchange that it answers. */
  open(reader: ArrivalReader, origin?: object): Arrival
}

/** Reads a long message. */
export interface ArrivalReader {
  /** Called when a message that had to wait may go on. */
  go(): void
  /** The peer sent nothing more for too long, and the message has lost its room: its connection must be closed. */
  stalled(error: McpError): void
}

/** One long message. */
export interface Arrival {
  /**
   * Notes how many bytes have come, and how many are expected. Returns false when reading has to stop until `go` is
   * called.
   */
  grows(bytes: number, expected?: number): boolean
  /** The message is complete, or was given up. */
  ends(): void
}

/** A shorter message needs no room: it is read in any case. */
export const SHORT_MESSAGE: number = 256 * 1024

/** The message that a connection is receiving now. A long message is read as far as there is room for it. */
export class ArrivingMessage {
  readonly #arrivals: Arrivals | undefined
  readonly #reader: ArrivalReader
  readonly #origin: object | undefined
  #arrival: Arrival | undefined
  /** Whether it has become long. */
  isLong = false

  constructor(arrivals: Arrivals | undefined, reader: ArrivalReader, origin?: object) {
    this.#arrivals = arrivals
    this.#reader = reader
    this.#origin = origin
  }

  /**
   * Notes how much of the message has come; 0 when it is complete. Returns false when reading has to stop until `go` is
   * called.
   */
  has(bytes: number, expected: number = bytes): boolean {
    if (bytes <= SHORT_MESSAGE) {
      this.end()
      return true
    }
    this.isLong = true
    this.#arrival ??= this.#arrivals?.open(this.#reader, this.#origin)
    return this.#arrival?.grows(bytes, expected) ?? true
  }

  end(): void {
    this.isLong = false
    this.#arrival?.ends()
    this.#arrival = undefined
  }
}
