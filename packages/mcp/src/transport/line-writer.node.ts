import type { Writable } from 'node:stream'

/**
 * Writes lines in order. Lines of the same turn leave in one write, which is what makes many small
 * messages cheap; a slow reader is noticed through `buffered`.
 */
export class LineWriter {
  readonly #stream: Writable
  readonly #write: (text: string) => boolean
  #lines: string[] = []
  #scheduled = false
  #blocked = false
  #closed = false
  #buffered = 0
  #finish: (() => void) | undefined
  /** Called when the reader has caught up. */
  onDrain: (() => void) | undefined
  /** Called when there is no reader any more. */
  onGone: (() => void) | undefined

  constructor(stream: Writable, write: (text: string) => boolean = (text) => stream.write(text)) {
    this.#stream = stream
    this.#write = write
    stream.on('drain', this.#drained)
    stream.on('error', this.#failed)
    stream.on('close', this.#failed)
  }

  /** Characters that wait for the reader. */
  get buffered(): number {
    return this.#buffered
  }

  write(line: string): void {
    if (this.#closed) return
    this.#lines.push(line)
    this.#buffered += line.length
    if (this.#scheduled || this.#blocked) return
    this.#scheduled = true
    setImmediate(this.#flush)
  }

  /** Writes what is left and resolves when the stream took it, or when there is nobody to take it. */
  async end(): Promise<void> {
    this.#flush()
    if (this.#blocked && !this.#closed) {
      await new Promise<void>((resolve) => {
        this.#finish = resolve
      })
    }
    if (!this.#closed && this.#stream.writableLength > 0) {
      await new Promise<void>((resolve) => {
        this.#finish = resolve
        this.#stream.write('', () => resolve())
      })
    }
    this.#closed = true
    this.#stream.off('drain', this.#drained)
    this.#stream.off('close', this.#failed)
  }

  #flush = (): void => {
    this.#scheduled = false
    if (this.#lines.length === 0 || this.#closed || this.#blocked) return
    const text = `${this.#lines.join('\n')}\n`
    this.#lines = []
    this.#buffered = 0
    this.#blocked = !this.#write(text)
  }

  #drained = (): void => {
    this.#blocked = false
    this.#flush()
    if (this.#blocked) return
    this.onDrain?.()
    this.#finish?.()
  }

  /** The reader is gone (EPIPE): there is nobody to write to, and nothing to crash for. */
  #failed = (): void => {
    this.#closed = true
    this.#lines = []
    this.#buffered = 0
    this.onDrain?.()
    this.onGone?.()
    this.#finish?.()
  }
}
