/** Hands values from callbacks to one reader. Closing it, from either side, ends both. */
export class Channel<T> implements AsyncIterable<T>, AsyncIterator<T> {
  readonly #items: T[] = []
  readonly #onClose: () => void
  #waiting: ((result: IteratorResult<T>) => void) | undefined
  #closed = false

  constructor(onClose: () => void = () => {}) {
    this.#onClose = onClose
  }

  push(item: T): void {
    if (this.#closed) return
    if (!this.#waiting) {
      this.#items.push(item)
      return
    }
    const resolve = this.#waiting
    this.#waiting = undefined
    resolve({ done: false, value: item })
  }

  /** Items that were pushed before are still read. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#waiting?.({ done: true, value: undefined })
    this.#waiting = undefined
    this.#onClose()
  }

  next(): Promise<IteratorResult<T>> {
    const item = this.#items.shift()
    if (item !== undefined) return Promise.resolve({ done: false, value: item })
    if (this.#closed) return Promise.resolve({ done: true, value: undefined })
    return new Promise((resolve) => {
      this.#waiting = resolve
    })
  }

  return(): Promise<IteratorResult<T>> {
    this.#items.length = 0
    this.close()
    return Promise.resolve({ done: true, value: undefined })
  }

  [Symbol.asyncIterator](): AsyncIterator<T> {
    return this
  }
}
