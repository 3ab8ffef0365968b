import { ApiError } from './api-error.ts'
import { send } from './call.ts'
import type { AdminEvent, Topic } from './contract.ts'
import { readSse } from './sse.ts'
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
  #lastId = ''

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
        if (signal.aborted || (error instanceof ApiError && error.status === 401)) return
      }
      if (signal.aborted) return
      this.state.set('lost')
      await pause(wait, signal)
      wait = Math.min(wait * 2, RETRY_UP_TO)
    }
  }

  async #read(signal: AbortSignal, onOpen: () => void): Promise<void> {
    const headers: Record<string, string> = { accept: 'text/event-stream' }
    if (this.#lastId !== '') headers['last-event-id'] = this.#lastId
    const response = await send('events', { query: { topics: this.#topics.join() } }, { signal, headers })
    onOpen()
    this.state.set('live')
    for await (const event of readSse(response.body!)) {
      if (event.id !== '') this.#lastId = event.id
      this.#onEvent(JSON.parse(event.data) as AdminEvent)
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
