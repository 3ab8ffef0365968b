import { McpError } from '@gantry/mcp/client'
import { addressKind, parseUrl } from '@gantry/mcp/foreign'
import * as oauth from 'oauth4webapi'
import { readBytes } from './send-request.ts'
import type { ClientCredentials } from '../options.ts'
import { CallError } from './call-error.ts'
import { secretText } from './credentials.ts'

const REQUEST_TIMEOUT = 15_000
/** A token that is about to expire may be too old when it arrives. */
const EARLY = 30_000
const MOST_BYTES = 256 * 1024
const MOST_RECENT = 4

interface Token {
  readonly value: string
  readonly expiresAt: number
}

/** An access token by client credentials (RFC 6749, section 4.4): fetched when needed, once for all callers. */
export class AccessToken {
  readonly #options: ClientCredentials
  readonly #fetch: typeof fetch
  readonly #server: oauth.AuthorizationServer
  readonly #isLoopback: boolean
  #token: Token | undefined
  /** Tokens that calls under way may still have been sent with. */
  #recent: string[] = []
  #pending: Promise<Token> | undefined
  /** Most servers want the secret in the `Authorization` header; some only in the body. */
  #inBody = false

  constructor(options: ClientCredentials, fetch: typeof globalThis.fetch) {
    const url = parseUrl(options.tokenUrl)
    this.#isLoopback = addressKind(url?.hostname ?? '') === 'loopback'
    if (!url || (url.protocol !== 'https:' && !(url.protocol === 'http:' && this.#isLoopback))) {
      throw new McpError(
        'invalid_config',
        'auth.clientCredentials.tokenUrl must be an https: URL (http: only on loopback)',
      )
    }
    this.#options = options
    this.#fetch = fetch
    this.#server = { issuer: url.origin, token_endpoint: url.href }
  }

  async get(signal: AbortSignal): Promise<string> {
    if (this.#token && Date.now() < this.#token.expiresAt) return this.#token.value
    // The request is shared, so that one caller's cancellation must not end it for the others.
    this.#pending ??= this.#request().finally(() => {
      this.#pending = undefined
    })
    this.#token = await unlessAborted(this.#pending, signal)
    return this.#token.value
  }

  /** The API refused this token; the next caller fetches another. */
  reject(value: string): void {
    if (this.#token?.value === value) this.#token = undefined
  }

  /** Everything that must not appear in a message. */
  secrets(): string[] {
    return [secretText(this.#options.clientSecret), ...this.#recent]
  }

  async #request(): Promise<Token> {
    try {
      return await this.#grant()
    } catch (error) {
      if (error instanceof oauth.ResponseBodyError && error.error === 'invalid_client' && !this.#inBody) {
        this.#inBody = true
        return await this.#grant().catch((second: unknown) => Promise.reject(explain(second)))
      }
      throw explain(error)
    }
  }

  async #send(url: string, init: object): Promise<Response> {
    return bounded(await this.#fetch(url, init))
  }

  async #grant(): Promise<Token> {
    const client: oauth.Client = { client_id: this.#options.clientId }
    const secret = secretText(this.#options.clientSecret)
    const authenticate = this.#inBody ? oauth.ClientSecretPost(secret) : oauth.ClientSecretBasic(secret)
    // Some servers look for it in the form, also beside a Basic header.
    const parameters = new URLSearchParams({ client_id: this.#options.clientId })
    if (this.#options.scopes?.length) parameters.set('scope', this.#options.scopes.join(' '))
    const response = await oauth.clientCredentialsGrantRequest(
      this.#server,
      client,
      authenticate,
      parameters,
      {
        signal: AbortSignal.timeout(REQUEST_TIMEOUT),
        [oauth.customFetch]: (url: string, init: object) => this.#send(url, init),
        [oauth.allowInsecureRequests]: this.#isLoopback,
      },
    )
    const answer = await oauth.processClientCredentialsResponse(this.#server, client, response)
    const life = answer.expires_in === undefined ? Number.POSITIVE_INFINITY : answer.expires_in * 1000
    this.#recent = [answer.access_token, ...this.#recent].slice(0, MOST_RECENT)
    return { value: answer.access_token, expiresAt: Date.now() + Math.max(life - EARLY, life / 2) }
  }
}

/** The body of a response of a few kilobytes, whatever was sent. */
async function bounded(response: Response): Promise<Response> {
  const { bytes, complete } = await readBytes(response, MOST_BYTES)
  if (!complete) throw new Error(`the token response is larger than ${MOST_BYTES} bytes`)
  const { status, headers } = response
  return new Response(bytes.length === 0 ? null : new TextDecoder().decode(bytes), { status, headers })
}

function explain(error: unknown): CallError {
  const code = error instanceof oauth.ResponseBodyError ? ` (${error.error})` : ''
  return new CallError(
    `The gateway could not get an access token for this API${code}. The operator has to check auth.clientCredentials.`,
    { cause: error },
  )
}

async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  const { promise: aborted, reject } = withReject()
  const stop = () => reject(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

function withReject(): { promise: Promise<never>; reject: (reason: unknown) => void } {
  let reject: (reason: unknown) => void = () => {}
  const promise = new Promise<never>((_, no) => {
    reject = no
  })
  return { promise, reject }
}
