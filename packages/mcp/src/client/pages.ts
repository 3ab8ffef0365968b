import { type JsonObject, McpError } from '../jsonrpc/index.ts'
import { isKept } from '../protocol/callers.ts'

export interface PagesOptions {
  method: string
  member: string
  /** More pages than this are taken for a fault of the server. Default 1000. */
  maxPages?: number | undefined
}

const MAX_PAGES = 1_000

/** A list that comes in pages, which are fetched while it is read: `for await (const tool of client.listTools())`. */
export class Pages<Item> implements AsyncIterable<Item> {
  readonly #options: PagesOptions
  readonly #fetch: (cursor: string | undefined) => Promise<JsonObject>

  constructor(options: PagesOptions, fetch: (cursor: string | undefined) => Promise<JsonObject>) {
    this.#options = options
    this.#fetch = fetch
  }

  /** The same list without the items that are not wanted. */
  filter(keep: (item: Item) => boolean): Pages<Item> {
    return this.#changed((items) => items.filter(keep))
  }

  /** The same list with each item as something else. */
  map<Other>(change: (item: Item) => Other): Pages<Other> {
    return this.#changed((items) => items.map((item) => change(item)))
  }

  #changed<Other>(change: (items: Item[]) => Other[]): Pages<Other> {
    const { member } = this.#options
    return new Pages(this.#options, async (cursor) => {
      const page = await this.#fetch(cursor)
      const items = page[member]
      return Array.isArray(items) ? { ...page, [member]: change(items) } : page
    })
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.pages()) yield* page
  }

  async all(): Promise<Item[]> {
    const items: Item[] = []
    // Adds the items one by one, because a page may be longer than a list of arguments can be.
    for await (const page of this.pages()) for (const item of page) items.push(item)
    return items
  }

  async *pages(): AsyncGenerator<Item[], void, undefined> {
    const { method, member, maxPages = MAX_PAGES } = this.#options
    const seen = new Set<string>()
    let cursor: string | undefined
    for (let page = 1; ; page++) {
      const result = await this.#fetch(cursor)
      const items = result[member]
      if (!Array.isArray(items)) {
        throw new McpError('bad_response', `The answer to ${method} has no list of ${member}`)
      }
      yield items
      // An empty string is a cursor like any other (server/utilities/pagination): only its absence ends a list.
      if (typeof result.nextCursor !== 'string') return
      cursor = result.nextCursor
      if (!isKept('cursor', cursor)) throw endless(method, 'gives a cursor that is too long')
      if (seen.has(cursor)) throw endless(method, 'gives the same cursor twice')
      if (page >= maxPages) throw endless(method, `has more than ${maxPages} pages`)
      seen.add(cursor)
    }
  }
}

function endless(method: string, what: string): McpError {
  return new McpError('cursor_loop', `The server ${what} in ${method}: the list would have no end`, {
    details: { method },
  })
}
