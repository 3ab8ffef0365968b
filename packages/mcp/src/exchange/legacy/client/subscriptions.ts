/** Asks the server to `resources/subscribe` or `resources/unsubscribe`; says whether it agreed. */
export type AskServer = (method: string, uri: string) => Promise<boolean>

interface Entry {
  count: number
  /** Whether the last `resources/subscribe` was accepted; also the end of the queue for this URI. */
  accepted: Promise<boolean>
}

/** Counts who wants a resource, so that the server sees one subscription per URI, in order. */
export class ResourceSubscriptions {
  readonly #entries = new Map<string, Entry>()
  readonly #ask: AskServer

  constructor(ask: AskServer) {
    this.#ask = ask
  }

  /** Counts one more interest in each URI; resolves with those that the server accepted. */
  async add(uris: Iterable<string>): Promise<string[]> {
    const pending = [...uris].map(async (uri) => ({ uri, accepted: await this.#addOne(uri) }))
    const settled = await Promise.all(pending)
    return settled.filter(({ accepted }) => accepted).map(({ uri }) => uri)
  }

  remove(uris: Iterable<string>): void {
    for (const uri of uris) {
      const entry = this.#entries.get(uri)
      if (entry && --entry.count === 0) this.#release(uri, entry)
    }
  }

  #addOne(uri: string): Promise<boolean> {
    const entry = this.#entries.get(uri) ?? { count: 0, accepted: Promise.resolve(false) }
    this.#entries.set(uri, entry)
    if (++entry.count === 1) {
      entry.accepted = entry.accepted.then(() => this.#ask('resources/subscribe', uri))
    }
    return entry.accepted
  }

  #release(uri: string, entry: Entry): void {
    entry.accepted = entry.accepted.then(async (subscribed) => {
      if (subscribed) await this.#ask('resources/unsubscribe', uri)
      if (entry.count === 0) this.#entries.delete(uri)
      return false
    })
  }
}
