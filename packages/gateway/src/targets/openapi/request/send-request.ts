import { parseUrl, isChosenHost, isWithinReach, OutOfReach, type Reach } from '@gantry/mcp/foreign'
import { reachLookup } from '@gantry/mcp/client/node'
import type { Dispatcher, RequestInfo, RequestInit as UndiciInit } from 'undici'

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
/**
 * Headers that may be sent to another origin after a redirect. Headers of the operator or the client and secrets are
 * not among them.
 */
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

/** Reads a response's body to the end, or to the limit: `complete` says which. Counts decompressed bytes. */
export async function readBytes(
  response: Response,
  limit: number,
): Promise<{ bytes: Uint8Array; complete: boolean }> {
  if (response.body === null) return { bytes: new Uint8Array(), complete: true }
  const reader = response.body.getReader()
  const chunks: Uint8Array[] = []
  let size = 0
  let complete = true
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    const room = limit - size
    chunks.push(value.length > room ? value.subarray(0, room) : value)
    size += Math.min(value.length, room)
    if (value.length > room) {
      complete = false
      await reader.cancel().catch(() => {})
      break
    }
  }
  return { bytes: Buffer.concat(chunks), complete }
}

/** A `fetch` for foreign addresses: hosts must be within reach, or the operator's. */
export function createReachFetch(reach: Reach): typeof fetch {
  let dispatcher: Dispatcher | undefined
  return async (input, init) => {
    const url = parseUrl(String(input))
    if (!url || isChosenHost(url, reach)) return globalThis.fetch(input, init)
    if (!isWithinReach(url.hostname, reach)) throw new OutOfReach(url.hostname, url.hostname)
    const { Agent, fetch } = await import('undici')
    dispatcher ??= new Agent({ connect: { lookup: reachLookup(reach) } })
    const guarded = { ...(init as UndiciInit), dispatcher }
    return (await fetch(input as RequestInfo, guarded)) as unknown as Response
  }
}
