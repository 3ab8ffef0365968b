import { parseUrl } from '../../../protocol/index.ts'
import type { Canceller } from '../../../exchange/index.ts'
import { abortError } from '../../../exchange/plain-exchange.ts'
import { McpError } from '../../../jsonrpc/index.ts'
import type { AuthRequest } from './auth.ts'
import { discard, readErrorText, withShortBody } from './body.ts'
import { displayUrl, isScopeChallenge, isSessionLost, networkError, timeoutError } from './errors.ts'
import { copyHeaders } from './headers.ts'
import type { HttpClientSettings } from './options.ts'
import { isQuick, type QuickInit } from './quick-fetch.ts'

export interface HttpCall {
  method: 'POST' | 'GET' | 'DELETE'
  url: string
  headers: Record<string, string>
  body?: string
  /** Aborting closes the connection, also while the body is read. */
  abort: Canceller
  /** Milliseconds until the response's headers must have come. */
  headersWithin?: number
  /** Whether a refusal may lead to an authorization, which may ask the user. */
  reauthorize: boolean
}

// New token, DPoP nonce, more scope: a server that refuses all of these refuses for ever.
const MAX_AUTH_RETRIES = 3
const MAX_REDIRECTS = 5

/** Sends a request with headers and credentials, follows redirects within the origin, authorizes again. */
export async function sendHttp(call: HttpCall, settings: HttpClientSettings): Promise<Response> {
  let { url } = call
  let redirects = 0
  let refusals = 0
  for (;;) {
    const prepared = prepare(call, url, settings)
    const { init, request } = prepared instanceof Promise ? await prepared : prepared
    let response = await fetchOnce(call, url, init, settings)
    if (response.ok) return response
    if (isRedirect(response)) {
      await discard(response)
      url = redirectTarget(call, url, response, redirects++)
    } else if (request !== undefined && isRefusal(response) && refusals++ < MAX_AUTH_RETRIES) {
      response = withShortBody(response)
      if (await isOfSession(call, response, settings)) return response
      const retry = await refused(response, request, settings)
      if (!retry) return response
      await discard(response)
    } else {
      return response
    }
  }
}

interface Prepared {
  init: QuickInit
  request?: AuthRequest
}

/** A promise only when a function for headers or credentials returns one. */
function prepare(call: HttpCall, url: string, settings: HttpClientSettings): Prepared | Promise<Prepared> {
  const { headers } = settings
  return typeof headers === 'function'
    ? ownHeaders(headers).then((own) => authorize(call, url, initOf(call, own, settings), settings))
    : authorize(call, url, initOf(call, headers, settings), settings)
}

function initOf(call: HttpCall, own: Record<string, string>, { fetch }: HttpClientSettings): QuickInit {
  const headers: Record<string, string> = {}
  copyHeaders(headers, own)
  copyHeaders(headers, call.headers)
  const { method, abort, body = null } = call
  // Redirects are followed by hand: `fetch` would carry custom headers, often credentials, to another origin.
  return isQuick(fetch)
    ? { method, headers, body, redirect: 'manual', cancellation: abort }
    : { method, headers, body, redirect: 'manual', signal: abort.signal }
}

function authorize(
  call: HttpCall,
  url: string,
  init: QuickInit,
  { auth }: HttpClientSettings,
): Prepared | Promise<Prepared> {
  if (auth === undefined) return { init }
  const request = new PendingRequest(url, call, init)
  const ready = (): Prepared => {
    request.apply(init)
    return call.reauthorize ? { init, request } : { init }
  }
  const waiting = authorizing(request, () => auth.authorize(request))
  return waiting instanceof Promise ? waiting.then(ready) : ready()
}

/** A request for an AuthProvider. Its parts are made when they are read: most providers read few of them. */
class PendingRequest implements AuthRequest {
  readonly url: string
  readonly method: string
  readonly #plain: Record<string, string>
  readonly #abort: Canceller
  #headers: Headers | undefined

  constructor(url: string, { method, abort }: HttpCall, init: QuickInit) {
    this.url = url
    this.method = method
    this.#plain = init.headers as Record<string, string>
    this.#abort = abort
  }

  get headers(): Headers {
    this.#headers ??= new Headers(this.#plain)
    return this.#headers
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  /** Copies the changed headers to the request. */
  apply(init: QuickInit): void {
    if (this.#headers) init.headers = this.#headers
  }
}

async function ownHeaders(
  headers: () => Record<string, string> | Promise<Record<string, string>>,
): Promise<Record<string, string>> {
  try {
    return await headers()
  } catch (thrown) {
    throw McpError.from(thrown, 'invalid_config')
  }
}

async function fetchOnce(
  call: HttpCall,
  url: string,
  init: QuickInit,
  { fetch }: HttpClientSettings,
): Promise<Response> {
  const { abort, headersWithin } = call
  if (abort.aborted) throw abortError(abort)
  const timer =
    headersWithin === undefined
      ? undefined
      : setTimeout(() => abort.abort(timeoutError(url, call.method, headersWithin)), headersWithin)
  try {
    return await fetch(url, init)
  } catch (thrown) {
    throw abort.aborted ? abortError(abort) : networkError(url, thrown)
  } finally {
    clearTimeout(timer)
  }
}

function isRefusal(response: Response): boolean {
  return response.status === 401 || isScopeChallenge(response)
}

/** Whether the session was refused and not the credentials. A login does not help then. */
async function isOfSession(
  { headers }: HttpCall,
  response: Response,
  { maxMessageBytes }: HttpClientSettings,
): Promise<boolean> {
  const challenge = response.headers.get('www-authenticate')
  if (challenge !== null || headers['mcp-session-id'] === undefined) return false
  return isSessionLost(response.status, await readErrorText(response.clone(), maxMessageBytes), challenge)
}

async function refused(
  response: Response,
  request: AuthRequest,
  { auth }: HttpClientSettings,
): Promise<boolean> {
  try {
    return await authorizing(request, () => auth?.onUnauthorized(response, request) ?? false)
  } catch (error) {
    await discard(response)
    throw error
  }
}

/** Whatever an AuthProvider throws reaches the caller as an McpError that says what it was for. */
function authorizing<T>(request: AuthRequest, act: () => T | Promise<T>): T | Promise<T> {
  const fail = (thrown: unknown): never => {
    if (thrown instanceof McpError) throw thrown
    const reason = thrown instanceof Error ? thrown.message : String(thrown)
    throw new McpError('unauthorized', `Authorization for ${displayUrl(request.url)} failed: ${reason}`, {
      cause: thrown,
      details: { url: displayUrl(request.url) },
    })
  }
  try {
    const acting = act()
    return isThenable(acting) ? Promise.resolve(acting).catch(fail) : acting
  } catch (thrown) {
    return fail(thrown)
  }
}

/** By its method, not its class: a promise of another realm is waited for as well. */
function isThenable<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof (value as Promise<T> | undefined)?.then === 'function'
}

function isRedirect(response: Response): boolean {
  if (response.type === 'opaqueredirect') return true
  return [301, 302, 303, 307, 308].includes(response.status)
}

/** Where to go next: the same origin only, and never with the method changed on the way. */
function redirectTarget(call: HttpCall, from: string, response: Response, count: number): string {
  const { status } = response
  const location = response.headers.get('location')
  const target = location === null ? undefined : parseUrl(location, from)
  const refuse = (why: string): McpError =>
    new McpError('http_status', `${displayUrl(from)} redirects ${call.method} (HTTP ${status}): ${why}`, {
      details: {
        status,
        url: displayUrl(from),
        ...(location !== null && { location: displayUrl(location) }),
      },
    })
  if (response.type === 'opaqueredirect') throw refuse('give the transport the URL that it leads to')
  if (target === undefined) throw refuse('there is no usable Location header')
  if (target.origin !== parseUrl(from)?.origin) {
    throw refuse(`not followed to another origin; use ${displayUrl(target.href)} as the URL if you trust it`)
  }
  if (call.method !== 'GET' && status !== 307 && status !== 308) {
    throw refuse(`the message would be lost on the way; use ${displayUrl(target.href)} as the URL`)
  }
  if (count >= MAX_REDIRECTS) throw refuse(`more than ${MAX_REDIRECTS} times in a row`)
  return target.href
}
