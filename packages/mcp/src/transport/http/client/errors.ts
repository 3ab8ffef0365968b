import { cutText, parseUrl } from '../../../protocol/index.ts'
import { McpError } from '../../../jsonrpc/index.ts'

/** A URL for messages: user info and query are left out, because people put keys there. */
export function displayUrl(url: string): string {
  const parsed = parseUrl(url)
  if (parsed === undefined) return url
  const { protocol, host, pathname, search } = parsed
  return `${protocol}${host === '' ? '' : `//${host}`}${pathname}${search === '' ? '' : '?…'}`
}

/** The beginning of a body, enough to recognise a proxy's error page. */
export function headOf(body: string): string {
  return cutText(body, 1000)
}

export function networkError(url: string, thrown: unknown): McpError {
  if (thrown instanceof McpError) return thrown
  return new McpError(
    'network',
    `The request to ${displayUrl(url)} failed: ${reasonOf(thrown)}. Check that the server runs and that the URL is right.`,
    { cause: thrown, details: { url: displayUrl(url) } },
  )
}

/**
 * The message `fetch failed` says nothing. The reason is in the cause, which may hold an error for each address that
 * was tried.
 */
function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown)
  const { cause } = thrown
  if (!(cause instanceof Error)) return thrown.message
  const code = (cause as { code?: unknown }).code
  return cause.message === '' && typeof code === 'string' ? code : cause.message
}

export function closedError(url: string): McpError {
  return new McpError('closed', `The connection to ${displayUrl(url)} was closed`, {
    details: { url: displayUrl(url) },
  })
}

export function timeoutError(url: string, method: string, milliseconds: number): McpError {
  return new McpError(
    'timeout',
    `${displayUrl(url)} did not answer ${method} within ${milliseconds} ms; raise connectTimeout if it is slow`,
    { details: { url: displayUrl(url), timeout: milliseconds } },
  )
}

export function badResponse(url: string, what: string, details: Record<string, unknown> = {}): McpError {
  return new McpError('bad_response', `${displayUrl(url)} ${what}`, {
    details: { url: displayUrl(url), ...details },
  })
}

/** A stream ended before the answer came. Waiting any longer would be waiting for ever. */
export function endedWithoutAnswer(url: string, what: string, cause?: unknown): McpError {
  return new McpError(
    'closed',
    `The stream from ${displayUrl(url)} ended without the answer to ${what}. The request may or may not have been carried out.`,
    { cause, details: { url: displayUrl(url) } },
  )
}

/** The error for a status other than 2xx whose body is no JSON-RPC error. */
export function statusError(response: Response, url: string, method: string, body: string): McpError {
  const { status } = response
  const details: Record<string, unknown> = { status, url: displayUrl(url), body: headOf(body) }
  const challenge = response.headers.get('www-authenticate')
  const retryAfter = response.headers.get('retry-after')
  if (challenge !== null) details.wwwAuthenticate = challenge
  if (retryAfter !== null) details.retryAfter = retryAfter
  const excerpt = body.trim() === '' ? '' : ` (${cutText(headOf(body).trim().replace(/\s+/g, ' '), 200)})`
  const code = status === 401 ? 'unauthorized' : isScopeChallenge(response) ? 'forbidden' : 'http_status'
  const message = `${displayUrl(url)} answered ${method} with HTTP ${status}${excerpt}. ${adviceFor(response, retryAfter)}`
  return new McpError(code, message, { details })
}

/** Step-up authorization: MCP 2025-11-25 and later, Scope Challenge Handling. */
export function isScopeChallenge(response: Response): boolean {
  if (response.status !== 403) return false
  return /\berror\s*=\s*"?insufficient_scope\b/i.test(response.headers.get('www-authenticate') ?? '')
}

function adviceFor(response: Response, retryAfter: string | null): string {
  const { status } = response
  if (isScopeChallenge(response)) return `The token lacks ${scopesIn(response)}: sign in again with it.`
  if (status === 401) return 'Give the transport credentials (headers or auth), or renew them.'
  if (status === 403) return 'The credentials or the Origin are not allowed there.'
  if (status === 404 || status === 405) return 'Check that the URL is the MCP endpoint, its path included.'
  if (status === 429) return `The server limits the rate: wait${waitOf(retryAfter)} before trying again.`
  if (status >= 500) return 'The server or a proxy before it failed: look at its log.'
  return 'The server refused the message.'
}

/** The scopes that a challenge asks for (RFC 6750, 3.1). */
function scopesIn({ headers }: Response): string {
  const scope = /\bscope\s*=\s*"([^"]*)"/i.exec(headers.get('www-authenticate') ?? '')?.[1]
  return scope ? `the scope ${JSON.stringify(cutText(scope, 200))}` : 'a scope'
}

/** How long a server asks to be left alone (RFC 9110, 10.2.3), where it says so in seconds. */
function waitOf(retryAfter: string | null): string {
  return retryAfter !== null && /^\d{1,6}$/.test(retryAfter) ? ` ${retryAfter} s` : ''
}

/** How servers say that a session is gone: 404 by specification, in practice also 400 and 401 with these texts. */
const SPELLINGS = [
  /\b(?:no valid|invalid|unknown|expired|missing|no such|no active)(?: or (?:expired|missing|unknown|invalid))? (?:mcp[- ]?)?session/i,
  /\bsession(?:[- ]?id)?\b.{0,80}?\b(?:not found|not valid|invalid|unknown|expired|terminated|not exist|n't exist)/i,
  /\b(?:no transport|no session|could not find session|cannot find session)\b/i,
  // The official server after a restart: its new transport has not seen this session's `initialize`.
  /\bserver not initialized\b/i,
]

/** The same as a JSON-RPC error that comes with HTTP 200. Tools have errors too, so only whole sentences count. */
const SENTENCE =
  /^(?:(?:bad request|not found): )?(?:session (?:id )?(?:not found|expired|terminated|has been terminated|does not exist)|(?:no valid|invalid|unknown|missing) session(?: id)?|server not initialized)\b/i
const CODES: readonly number[] = [-32000, -32001, -32600]

export function isSessionLostError({ code, message }: { code: number; message: string }): boolean {
  return CODES.includes(code) && SENTENCE.test(message)
}

/** Whether an answer to a request that carried a session id says that this session no longer exists. */
export function isSessionLost(status: number, body: string, challenge: unknown): boolean {
  // 404 with -32601 is about the method: servers of both eras answer so.
  if (status === 404 || status === 410) return !/"code"\s*:\s*-32601\b/.test(body)
  // Older servers in Rust answer 401. A server that wants credentials says which (RFC 9110, 15.5.2).
  if (status !== 400 && (status !== 401 || typeof challenge === 'string')) return false
  const head = body.slice(0, 4000)
  return SPELLINGS.some((spelling) => spelling.test(head))
}

/** The same question for an answer that has become an error already. */
export function isSessionRefusal({ details }: { readonly details: Record<string, unknown> }): boolean {
  const { status, body, wwwAuthenticate } = details
  const text = typeof body === 'string' ? body : ''
  return typeof status === 'number' && isSessionLost(status, text, wwwAuthenticate)
}
