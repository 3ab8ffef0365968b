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
  /** Called when the reader has caught up. */
  onDrain: (() => void) | undefined

  constructor(stream: Writable, write: (text: string) => boolean = (text) => stream.write(text)) {
    this.#stream = stream
    this.#write = write
    stream.on('drain', this.#drained)
    stream.on('error', this.#failed)
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

  /** Writes what is left and resolves when the stream took it. */
  async end(): Promise<void> {
    this.#flush()
    while (this.#blocked && !this.#closed) {
      await new Promise<void>((resolve) => {
        this.#stream.once('drain', resolve)
        this.#stream.once('close', resolve)
        this.#stream.once('error', () => resolve())
      })
    }
    if (!this.#closed && this.#stream.writableLength > 0) {
      await new Promise<void>((resolve) => this.#stream.write('', () => resolve()))
    }
    this.#stream.off('drain', this.#drained)
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
    if (!this.#blocked) this.onDrain?.()
  }

  /** The reader is gone (EPIPE): there is nobody to write to, and nothing to crash for. */
  #failed = (): void => {
    this.#closed = true
    this.#lines = []
    this.onDrain?.()
  }
}
