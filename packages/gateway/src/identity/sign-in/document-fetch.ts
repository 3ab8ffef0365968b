import { createNodeFetch, reachLookup } from '@gantry/mcp/client/node'
import { isJsonObject } from '@gantry/mcp/exchange'
import { isChosenHost, isWithinReach, OutOfReach, parseJson, parseUrl } from '@gantry/mcp/foreign'
import type { SignInModel } from '../../model/index.ts'
import { acceptMetadata } from './client-metadata.ts'

type Fetch = (url: string, init: RequestInit) => Promise<Response>

const MAX_DOCUMENT = 64 * 1024
/** Stands for all strangers: they may be on the Internet, and nowhere nearer. */
const STRANGER = parseUrl('https://stranger.invalid')!

/**
 * Fetches metadata documents of clients, and their keys. Hosts that the configuration trusts may be private. The
 * library has a guard of its own, which is silently off where it does not know the `fetch` of the process.
 */
export function documentFetch(model: Pick<SignInModel, 'trustedHosts' | 'allScopes'>): Fetch {
  const reach = { serverUrl: STRANGER, trustedHosts: model.trustedHosts }
  const guarded = createNodeFetch({ lookup: reachLookup(reach) })
  return async (url, init) => {
    const { dispatcher: _, ...plain } = init as RequestInit & { dispatcher?: unknown }
    const target = parseUrl(url)
    if (!target) throw new TypeError('it has no address')
    if (isChosenHost(target, reach)) return accepted(await fetch(url, plain), url, model)
    if (!isWithinReach(target.hostname, reach)) throw new OutOfReach(target.hostname, target.hostname)
    return accepted(await guarded(url, plain), url, model)
  }
}

/** A document of a client, as the authorization server takes it; everything else as it came. */
async function accepted(
  response: Response,
  url: string,
  { allScopes }: Pick<SignInModel, 'allScopes'>,
): Promise<Response> {
  if (response.status !== 200 || !/json/i.test(response.headers.get('content-type') ?? '')) return response
  const text = await readShort(response)
  const document = parseJson(text)
  if (!isJsonObject(document) || document.client_id !== url)
    return new Response(text, { headers: response.headers })
  const metadata = acceptMetadata(document, allScopes)
  if (!metadata) throw new Error('none of its redirect URIs can be accepted')
  // A document cannot hold a secret, so clients that say nothing have none.
  const method = metadata.token_endpoint_auth_method ?? 'none'
  return Response.json(
    { ...metadata, token_endpoint_auth_method: method, client_id: url },
    { headers: cacheOf(response) },
  )
}

/** A document has a few lines. Reading stops when it is longer. */
async function readShort(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > MAX_DOCUMENT) throw new Error(`it is longer than ${MAX_DOCUMENT} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function cacheOf({ headers }: Response): Record<string, string> {
  const cache = headers.get('cache-control')
  return cache === null ? {} : { 'cache-control': cache }
}
