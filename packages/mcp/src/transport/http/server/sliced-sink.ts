import type { EventSink } from './reply.ts'

/** A body that is given out no faster than its reader takes it. */
export interface SlicedBody {
  /** Bytes that the reader has not taken. */
  readonly waiting: number
  /** Called when the reader has taken everything and more may come. */
  onDrain: (() => void) | undefined
  write(frame: string): boolean
  end(): void
  cutOff(): void
  breakOff(): void
}

/** A reader this far behind gets no progress and log messages. */
const FAR_BEHIND = 1024 * 1024
/** A reader this far behind is cut off: memory is worth more than its stream. */
const MAX_BEHIND = 16 * FAR_BEHIND

export function toEventSink(body: SlicedBody): EventSink {
  const sink: EventSink = {
    get isBehind() {
      return body.waiting > FAR_BEHIND
    },
    write(frame) {
      // Only bytes that waited before count, because a large message to a quick reader is fine.
      if (body.waiting > MAX_BEHIND) body.cutOff()
      return body.write(frame)
    },
    end: () => body.end(),
    breakOff: () => body.breakOff(),
  }
  body.onDrain = () => sink.onDrain?.()
  return sink
}

/** How many bytes are given out at a time. A reader that takes no byte counts as stalled. */
export const SLICE: number = 128 * 1024

/** Bytes that wait for a reader. */
export class SliceQueue {
  readonly #pieces: Uint8Array[] = []
  bytes = 0

  get isEmpty(): boolean {
    return this.#pieces.length === 0
  }

  push(piece: Uint8Array): void {
    this.#pieces.push(piece)
    this.bytes += piece.length
  }

  /** Call it only when the queue is not empty. */
  next(): Uint8Array {
    const first = this.#pieces[0]!
    const slice = first.length <= SLICE ? first : first.subarray(0, SLICE)
    if (slice === first) this.#pieces.shift()
    else this.#pieces[0] = first.subarray(SLICE)
    this.bytes -= slice.length
    return slice
  }

  clear(): void {
    this.#pieces.length = 0
    this.bytes = 0
  }
}
