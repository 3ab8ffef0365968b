/** Gives room to long messages that are on their way in, over many connections. */
export interface Arrivals {
  /** A message has become long. `go` is called when it may go on after it had to wait. `origin`: the exchange that it answers. */
  open(go: () => void, origin?: object): Arrival
}

/** One long message. */
export interface Arrival {
  /** It has so many bytes now. False when no more of it is to be read until `go` is called. */
  grows(bytes: number): boolean
  /** It is complete, or given up. */
  ends(): void
}

/** A shorter message needs no room: it is read in any case. */
export const SHORT_MESSAGE: number = 256 * 1024

/** The message that a connection is receiving now. A long one is read as there is room for it. */
export class ArrivingMessage {
  readonly #arrivals: Arrivals | undefined
  readonly #go: () => void
  readonly #origin: object | undefined
  #arrival: Arrival | undefined

  constructor(arrivals: Arrivals | undefined, go: () => void, origin?: object) {
    this.#arrivals = arrivals
    this.#go = go
    this.#origin = origin
  }

  /** So much of it is here; 0 when it was complete. False when no more is to be read until `go` is called. */
  has(bytes: number): boolean {
    if (bytes <= SHORT_MESSAGE) {
      this.end()
      return true
    }
    this.#arrival ??= this.#arrivals?.open(this.#go, this.#origin)
    return this.#arrival?.grows(bytes) ?? true
  }

  end(): void {
    this.#arrival?.ends()
    this.#arrival = undefined
  }
}
