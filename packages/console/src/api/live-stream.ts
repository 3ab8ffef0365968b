import { gateway } from './call.ts'
import { AdminError, type AdminEvent, type Topic } from './contract.ts'
import { createStore, type Store } from './store.ts'

export type LiveState = 'connecting' | 'live' | 'lost'

const RETRY_FROM = 500
const RETRY_UP_TO = 8_000

/** The one event stream of this tab. It comes back by itself, and takes up where it was. */
export class LiveStream {
  readonly state: Store<LiveState> = createStore<LiveState>('connecting')
  readonly #onEvent: (event: AdminEvent) => void
  #topics: readonly Topic[] = []
  #connection: AbortController | undefined
  #lastId: string | undefined

  constructor(onEvent: (event: AdminEvent) => void) {
    this.#onEvent = onEvent
  }

  /** Watches these topics from now on. No topics: disconnects. */
  watch(topics: readonly Topic[]): void {
    if (topics.join() === this.#topics.join()) return
    this.#topics = topics
    this.#connection?.abort()
    this.#connection = undefined
    if (topics.length === 0) return
    const connection = new AbortController()
    this.#connection = connection
    void this.#run(connection.signal)
  }

  async #run(signal: AbortSignal): Promise<void> {
    let wait = RETRY_FROM
    while (!signal.aborted) {
      try {
        await this.#read(signal, () => {
          wait = RETRY_FROM
        })
      } catch (error) {
        if (signal.aborted || (error instanceof AdminError && [401, 403].includes(error.status))) return
      }
      if (signal.aborted) return
      this.state.set('lost')
      await pause(wait, signal)
      wait = Math.min(wait * 2, RETRY_UP_TO)
    }
  }

  async #read(signal: AbortSignal, onOpen: () => void): Promise<void> {
    const query = { topics: this.#topics.join() }
    // A stream always begins with an event: the gateway greets, or says what was missed.
    for await (const { id, event } of gateway.stream(
      'events',
      { query },
      { signal, lastEventId: this.#lastId },
    )) {
      onOpen()
      this.state.set('live')
      if (id !== undefined) this.#lastId = id
      this.#onEvent(event)
    }
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
