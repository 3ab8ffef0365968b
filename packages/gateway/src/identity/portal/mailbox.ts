import type { Rows, Store } from '../../store/index.ts'

const CHANNEL = 'connect-mail'
const KEPT_FOR = 60_000

/** Hands short texts from one process to another, because a person may come back to a different process. */
export class Mailbox {
  readonly #store: Store
  readonly #rows: Rows

  constructor(store: Store) {
    this.#store = store
    this.#rows = store.rows({ name: 'connect-mail', secret: true, maxRows: 20_000, maxValueBytes: 16 * 1024 })
  }

  async post(name: string, text: string): Promise<void> {
    await this.#rows.put(name, text, { ttl: KEPT_FOR })
    await this.#store.publish(CHANNEL, name)
  }

  /** Waits for it and takes it; rejects when the signal is aborted first. */
  async receive(name: string, signal: AbortSignal): Promise<string> {
    let wake = (): void => {}
    const stop = await this.#store.subscribe(CHANNEL, {
      message: (posted) => {
        if (posted === name) wake()
      },
      missed: () => wake(),
    })
    const onAbort = (): void => wake()
    signal.addEventListener('abort', onAbort)
    try {
      for (;;) {
        const woken = new Promise<void>((resolve) => {
          wake = resolve
        })
        const row = await this.#rows.take(name)
        if (row) return row.value
        signal.throwIfAborted()
        await woken
      }
    } finally {
      stop()
      signal.removeEventListener('abort', onAbort)
    }
  }
}
