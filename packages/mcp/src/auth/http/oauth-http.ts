import { OutOfReach, parseUrl, type Reach } from '../../protocol/index.ts'
import { McpError, MAX_DEPTH, parseJson, RefusedJson } from '../../jsonrpc/index.ts'
import { oauthError, quote } from './oauth-error.ts'
import { reachFetch, type Fetch } from './reach-fetch.ts'
import { checkUrl, outOfReach } from './safe-url.ts'

export interface OAuthHttpOptions extends Reach {
  /** Instead of the platform's. Which addresses it connects to is up to it. */
  readonly fetch?: Fetch | undefined
  /** For a whole exchange, body included. */
  readonly timeoutMs: number
  readonly maxBytes: number
  readonly signal?: AbortSignal | undefined
}

const MAX_REDIRECTS = 3

/** The only way out of this folder: URLs are checked, redirects stay within the origin, bodies are bounded. */
export class OAuthHttp {
  readonly #options: OAuthHttpOptions
  readonly #fetch: Fetch

  constructor(options: OAuthHttpOptions) {
    this.#options = options
    this.#fetch = options.fetch ?? reachFetch(options)
  }

  /** The same limits, for an address that the user configured: its own network is fine. */
  trusting(url: string): OAuthHttp {
    const serverUrl = parseUrl(url)
    return serverUrl ? new OAuthHttp({ ...this.#options, serverUrl }) : this
  }

  /** The same, and it ends when the signal is aborted. */
  until(signal: AbortSignal): OAuthHttp {
    return new OAuthHttp({ ...this.#options, signal })
  }

  check(value: unknown, what: string): URL {
    return checkUrl(value, what, this.#options)
  }

  /** GETs a public document. */
  async get(url: URL, what: string, headers: Record<string, string> = {}): Promise<Response> {
    let current = url
    for (let redirects = 0; ; redirects += 1) {
      const init = { method: 'GET', headers: { accept: 'application/json', ...headers } }
      const response = await this.#send(current.href, init, what)
      const target = redirectTarget(response, current)
      if (target === undefined) return response
      if (target.origin !== current.origin || redirects === MAX_REDIRECTS)
        throw redirected(current, target, what)
      current = target
    }
  }

  /** A `fetch` for the OAuth library: same checks, no redirect is followed. */
  sender(what: string): Fetch {
    return async (url, init) => {
      const checked = this.check(url, what)
      const response = await this.#send(checked.href, init, what)
      const target = redirectTarget(response, checked)
      if (target !== undefined) throw redirected(checked, target, what)
      return response
    }
  }

  async #send(url: string, init: RequestInit, what: string): Promise<Response> {
    const { timeoutMs, maxBytes, signal: ended } = this.#options
    const timeout = AbortSignal.timeout(timeoutMs)
    const signal = ended === undefined ? timeout : AbortSignal.any([timeout, ended])
    try {
      const response = await this.#fetch(url, { ...init, redirect: 'manual', signal })
      // A browser hides where a redirect leads; its status is 0 then.
      if (response.type === 'opaqueredirect') throw redirected(url, undefined, what)
      return await buffered(response, maxBytes, url, what)
    } catch (thrown) {
      if (thrown instanceof McpError) throw thrown
      if (ended?.aborted) throw cancelled(ended)
      const far = OutOfReach.in(thrown)
      if (far) throw outOfReach(what, far.message, far)
      if (timeout.aborted) {
        const found = `none within ${timeoutMs} ms`
        throw oauthError('timeout', `${what} did not answer in time`, { url, found, cause: thrown })
      }
      const found = thrown instanceof Error ? causeText(thrown) : String(thrown)
      throw oauthError('network', `${what} cannot be reached`, {
        url,
        found,
        fix: 'Check the address, the network and the certificate.',
        cause: thrown,
      })
    }
  }
}

/** Reads the body under its limit and returns a response that holds it in memory. */
async function buffered(response: Response, maxBytes: number, url: string, what: string): Promise<Response> {
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = response.body?.getReader()
  while (reader !== undefined) {
    const { done, value } = await reader.read()
    if (done) break
    size += value.byteLength
    if (size > maxBytes) {
      reader.cancel().catch(() => {})
      throw oauthError('too_large', `${what} is too large`, { url, expected: `at most ${maxBytes} bytes` })
    }
    chunks.push(value)
  }
  const body = new Uint8Array(size)
  let offset = 0
  for (const chunk of chunks) {
    body.set(chunk, offset)
    offset += chunk.byteLength
  }
  // Whatever is made of it afterwards, by us or by a library, calls itself once per level.
  if (isDeepJson(body)) {
    throw oauthError('too_large', `${what} has too many levels`, {
      url,
      expected: `at most ${MAX_DEPTH} levels`,
    })
  }
  const empty = response.status === 204 || response.status === 205 || response.status === 304
  return new Response(empty ? null : body, { status: response.status, headers: response.headers })
}

function isDeepJson(body: Uint8Array): boolean {
  try {
    parseJson(new TextDecoder().decode(body))
    return false
  } catch (error) {
    return error instanceof RefusedJson
  }
}

function redirectTarget(response: Response, from: URL): URL | undefined {
  const location = response.headers.get('location')
  if (response.status < 300 || response.status > 399 || location === null) return undefined
  return parseUrl(location, from) ?? from
}

function redirected(from: URL | string, target: URL | undefined, what: string): McpError {
  return oauthError('redirected', `${what} is redirected, which is not followed`, {
    url: from,
    found: target === undefined ? 'a redirect' : `a redirect to ${quote(target.origin + target.pathname)}`,
    fix: 'The server must answer at the address that its metadata names.',
  })
}

/** The error of a request whose callers have all given up. */
export function cancelled(signal: AbortSignal): McpError {
  return new McpError('cancelled', 'Signing in was cancelled', { cause: signal.reason })
}

/** `fetch failed` says nothing; the reason is in its cause. */
function causeText(error: Error): string {
  const { cause } = error
  return cause instanceof Error && cause.message !== '' ? cause.message : error.message
}
