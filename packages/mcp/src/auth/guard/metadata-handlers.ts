import { parseUrl } from '../../protocol/index.ts'
import type { ProtectedResourceDocument } from './protected-resource.ts'

/** The document is public, and clients in browsers read it from their own origin. */
const HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'application/json',
  'cache-control': 'public, max-age=300',
  'access-control-allow-origin': '*',
}
const PREFLIGHT: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET',
  'access-control-allow-headers': '*',
}

export interface MetadataAnswer {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body?: string
}

/** The answer to a request for the metadata; undefined when it is about something else. */
export function answerMetadata(
  resource: ProtectedResourceDocument,
  method: string,
  url: string,
): MetadataAnswer | undefined {
  const path = url.split('?', 1)[0]!
  if (!resource.paths.includes(path)) return undefined
  switch (method) {
    case 'GET':
      return { status: 200, headers: { ...HEADERS }, body: resource.json }
    case 'HEAD':
      return { status: 200, headers: { ...HEADERS } }
    case 'OPTIONS':
      return { status: 204, headers: { ...PREFLIGHT } }
    default:
      return { status: 405, headers: { allow: 'GET, HEAD, OPTIONS' } }
  }
}

/** What these handlers use of a Node request and response; Express and others extend them. */
interface NodeRequest {
  readonly method?: string | undefined
  readonly url?: string | undefined
}
interface NodeResponse {
  writeHead(status: number, headers: Record<string, string>): unknown
  end(body?: string): unknown
}

interface HasResource {
  readonly protectedResource: ProtectedResourceDocument
}

/**
 * Serves the metadata document on a Node server, or as middleware in Express and the like: requests for
 * anything else go on, or get 404 where there is nothing to go on to.
 *
 * ```ts
 * web.use(toNodeMetadataHandler(guard))
 * ```
 */
export function toNodeMetadataHandler(
  guard: HasResource,
): (request: NodeRequest, response: NodeResponse, next?: () => void) => void {
  return (request, response, next) => {
    const url = (request as { originalUrl?: string }).originalUrl ?? request.url ?? '/'
    const answer = answerMetadata(guard.protectedResource, request.method ?? 'GET', url)
    if (answer === undefined && next) return next()
    const { status, headers, body } = answer ?? { status: 404, headers: {}, body: undefined }
    response.writeHead(status, headers)
    response.end(body)
  }
}

/**
 * Serves the metadata document as a Web request handler.
 *
 * ```ts
 * hono.get('/.well-known/*', (c) => toFetchMetadataHandler(guard)(c.req.raw))
 * ```
 */
export function toFetchMetadataHandler(guard: HasResource): (request: Request) => Response {
  return (request) => {
    const answer = answerMetadata(
      guard.protectedResource,
      request.method,
      parseUrl(request.url)?.pathname ?? '',
    )
    if (answer === undefined) return new Response(null, { status: 404 })
    return new Response(answer.body ?? null, { status: answer.status, headers: answer.headers })
  }
}
