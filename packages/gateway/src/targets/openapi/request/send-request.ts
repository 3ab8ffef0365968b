import { parseUrl } from '@gantry/mcp/foreign'
import { readBytes } from '../document/read-bytes.ts'

export interface OutgoingRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Headers
  readonly body: string | Buffer<ArrayBuffer> | undefined
}

export interface SendOptions {
  readonly fetch: typeof fetch
  readonly redirects: 'none' | 'same-origin' | 'any'
  readonly maxResponseBytes: number
  readonly signal: AbortSignal
}

export interface Answer {
  readonly status: number
  readonly statusText: string
  readonly headers: Headers
  readonly bytes: Uint8Array
  /** False when the body was larger than the limit. */
  readonly complete: boolean
  /** Where a redirect that was not followed leads. */
  readonly refusedRedirect: string | undefined
}

const MOST_REDIRECTS = 5
/** What may follow to another origin: nothing that came from the operator, the client or a secret. */
const HARMLESS = ['accept', 'user-agent', 'content-type']

export async function sendRequest(request: OutgoingRequest, options: SendOptions): Promise<Answer> {
  let at = request
  for (let count = 0; ; count++) {
    const response = await options.fetch(at.url, {
      method: at.method,
      headers: at.headers,
      body: at.body === undefined ? null : at.body,
      redirect: 'manual',
      signal: options.signal,
    })
    const target = redirectTarget(response, at.url)
    const next =
      target && count < MOST_REDIRECTS ? redirected(at, response.status, target, options) : undefined
    if (next === undefined) return await toAnswer(response, target, options)
    await response.body?.cancel()
    at = next
  }
}

async function toAnswer(response: Response, target: URL | undefined, options: SendOptions): Promise<Answer> {
  const { bytes, complete } = await readBytes(response, options.maxResponseBytes)
  return {
    status: response.status,
    statusText: response.statusText,
    headers: response.headers,
    bytes,
    complete,
    refusedRedirect: target && target.origin + target.pathname,
  }
}

function redirectTarget(response: Response, from: URL): URL | undefined {
  if (![301, 302, 303, 307, 308].includes(response.status)) return undefined
  const location = response.headers.get('location')
  return location === null ? undefined : parseUrl(location, from)
}

/** The next request (Fetch Standard, "HTTP-redirect fetch"), or undefined when the policy forbids it. */
function redirected(
  request: OutgoingRequest,
  status: number,
  target: URL,
  { redirects }: SendOptions,
): OutgoingRequest | undefined {
  const isSameOrigin = target.origin === request.url.origin
  if (redirects === 'none' || (redirects === 'same-origin' && !isSameOrigin)) return undefined
  const isDowngrade = request.url.protocol === 'https:' && target.protocol !== 'https:'
  if (isDowngrade || !/^https?:$/.test(target.protocol)) return undefined
  const headers = isSameOrigin ? new Headers(request.headers) : harmless(request.headers)
  const becomesGet =
    (status === 303 && request.method !== 'HEAD') ||
    ((status === 301 || status === 302) && request.method === 'POST')
  if (!becomesGet) return { ...request, url: target, headers }
  headers.delete('content-type')
  return { method: 'GET', url: target, headers, body: undefined }
}

function harmless(headers: Headers): Headers {
  return new Headers([...headers].filter(([name]) => HARMLESS.includes(name)))
}
