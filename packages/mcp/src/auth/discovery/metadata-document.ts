import { isJsonObject, type JsonObject, type McpError, parseJson } from '../../jsonrpc/index.ts'
import { oauthCheck, oauthError, quote } from '../http/oauth-error.ts'
import type { OAuthHttp } from '../http/oauth-http.ts'
import type { OnStep } from '../http/oauth-step.ts'

export interface DiscoveryContext {
  readonly http: OAuthHttp
  readonly step: OnStep
}

/** A document, the fact that there is no document, or a failure that says nothing about either. */
export type Loaded =
  | { readonly kind: 'found'; readonly document: JsonObject }
  | { readonly kind: 'absent'; readonly found: string }
  | { readonly kind: 'failed'; readonly error: McpError }

/** Loads metadata from possible places. A wrong answer means "not here"; an error must not force a fallback. */
export async function loadDocument(
  url: URL,
  what: string,
  { http, step }: DiscoveryContext,
  headers?: Record<string, string>,
): Promise<Loaded> {
  const name = what === 'Resource metadata' ? 'resource-metadata' : 'server-metadata'
  try {
    const response = await http.get(url, what, headers)
    const loaded = await readDocument(response, url, what)
    const outcome = loaded.kind === 'found' ? 'ok' : loaded.kind
    step({ step: name, outcome, url: url.href, status: response.status })
    return loaded
  } catch (thrown) {
    const error = thrown as McpError
    const absent = oauthCheck(error) === 'redirected'
    step({ step: name, outcome: absent ? 'absent' : 'failed', url: url.href, reason: error.message })
    if (absent) return { kind: 'absent', found: String(error.details.found) }
    return { kind: 'failed', error }
  }
}

async function readDocument(response: Response, url: URL, what: string): Promise<Loaded> {
  const { status } = response
  if (status >= 500) {
    const error = oauthError('network', `${what} cannot be read`, {
      url,
      status,
      found: `HTTP status ${status}`,
    })
    return { kind: 'failed', error }
  }
  if (status !== 200) return { kind: 'absent', found: `HTTP status ${status}` }
  const type = response.headers.get('content-type') ?? 'no content type'
  const text = await response.text()
  let document: unknown
  try {
    document = parseJson(text)
  } catch {
    if (!/json/i.test(type)) return { kind: 'absent', found: `a document of type ${quote(type)}` }
    const error = oauthError('server_metadata', `${what} is not valid JSON`, {
      url,
      found: quote(text.slice(0, 60)),
    })
    return { kind: 'failed', error }
  }
  if (isJsonObject(document)) return { kind: 'found', document }
  return { kind: 'absent', found: 'JSON that is not an object' }
}

/** The strings of a metadata member that should be an array of strings; undefined when it is not there. */
export function stringArray(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined
  return value.filter((entry): entry is string => typeof entry === 'string')
}
