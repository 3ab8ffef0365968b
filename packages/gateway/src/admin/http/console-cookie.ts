import type { IncomingMessage } from 'node:http'
import { isJsonObject, type Sealer } from '@gantry/mcp/exchange'

/** Sent with every request of the console. It is one half of the session, and pages of other sites cannot send it. */
const CONSOLE_HEADER = 'gantry-console'

const LIFE_SECONDS = 30 * 24 * 60 * 60
const MOST_COOKIES = 8
const PAGE_KEY = /^[\w-]{22,100}$/

/**
 * Keeps a browser signed in. Its credentials are sealed into a cookie that scripts cannot read. The cookie opens only
 * together with a key that the page keeps: cookies of one host reach all its ports, the storage of a page does not.
 */
export class ConsoleCookie {
  readonly #sealer: Sealer
  readonly #attributes: string

  constructor(sealer: Sealer, url: string) {
    this.#sealer = sealer
    this.#attributes = `HttpOnly; SameSite=Strict; Path=/api${url.startsWith('https:') ? '; Secure' : ''}`
  }

  /**
   * For a request that has shown its credentials; undefined when it comes from no page. What the browser shows from
   * now on is another thing where a person has just signed in.
   */
  async create(
    { headers }: IncomingMessage,
    authorization: string | undefined = headers.authorization,
  ): Promise<string | undefined> {
    const key = pageKey(headers)
    if (key === undefined || authorization === undefined) return undefined
    const expiresAt = Date.now() + LIFE_SECONDS * 1000
    const sealed = await this.#sealer.seal({ authorization, expiresAt }, binding(key))
    return `${nameOf(headers)}=${sealed}; ${this.#attributes}; Max-Age=${LIFE_SECONDS}`
  }

  remove({ headers }: IncomingMessage): string {
    return `${nameOf(headers)}=; ${this.#attributes}; Max-Age=0`
  }

  /** The credentials of the page that sends a request. */
  async open({ headers }: IncomingMessage): Promise<string | undefined> {
    const key = pageKey(headers)
    if (key === undefined) return undefined
    // Programs on other ports of this host can set cookies of this name, which stand before ours.
    for (const sealed of cookiesOf(headers).slice(0, MOST_COOKIES)) {
      const opened = await this.#sealer.open(sealed, binding(key))
      if (!isJsonObject(opened) || !(Number(opened.expiresAt) > Date.now())) continue
      if (typeof opened.authorization === 'string') return opened.authorization
    }
    return undefined
  }
}

type Headers = IncomingMessage['headers']

function pageKey(headers: Headers): string | undefined {
  const key = headers[CONSOLE_HEADER]
  return typeof key === 'string' && PAGE_KEY.test(key) ? key : undefined
}

function binding(key: string): string {
  return `console ${key}`
}

/** Gateways on one host share their cookies: the name has the port in it. */
function nameOf({ host = '' }: Headers): string {
  return `gantry-console-${/:(\d+)$/.exec(host)?.[1] ?? '0'}`
}

function cookiesOf(headers: Headers): string[] {
  const start = `${nameOf(headers)}=`
  const all = (headers.cookie ?? '').split('; ').filter((one) => one.startsWith(start))
  return all.map((one) => one.slice(start.length))
}
