import {
  AdminError,
  createAdminClient,
  type AdminClient,
  type CallName,
  type RouteInput,
  type RouteReply,
} from './contract.ts'
import { parseJson, writeJson } from './json.ts'
import { pageKey } from './page-key.ts'

const unauthorized = new Set<() => void>()

/** Called whenever the gateway does not know this browser. */
export function onUnauthorized(listener: () => void): () => void {
  unauthorized.add(listener)
  return () => unauthorized.delete(listener)
}

/** The gateway that this page came from. */
export const gateway: AdminClient = createAdminClient({
  url: '',
  token: undefined,
  fetch: watchedFetch,
  json: { parse: parseJson, stringify: writeJson },
})

type Args<Name extends CallName> =
  {} extends RouteInput<Name> ? [input?: RouteInput<Name>] : [input: RouteInput<Name>]

/** Asks one route of the admin API. */
export function call<Name extends CallName>(name: Name, ...args: Args<Name>): Promise<RouteReply<Name>> {
  return gateway.call(name, (args[0] ?? {}) as RouteInput<Name>)
}

/** No answer at all has no status. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof AdminError && error.status === 0
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

async function watchedFetch(...request: Parameters<typeof fetch>): Promise<Response> {
  const response = await pageFetch(...request)
  if (response.status === 401) for (const listener of unauthorized) listener()
  return response
}

/** Sends the cookie of the session, and the key of this page that belongs to it. */
export function pageFetch(...[input, init]: Parameters<typeof fetch>): Promise<Response> {
  const headers = { ...(init?.headers as Record<string, string>), 'gantry-console': pageKey() }
  return fetch(input, { ...init, headers, credentials: 'same-origin' }).catch((error: unknown) => {
    if (init?.signal?.aborted) throw error
    throw new AdminError(0, {
      code: 'unavailable',
      message: 'The gateway does not answer.',
      fix: 'Check that `gantry serve` is still running; this page reconnects by itself.',
    })
  })
}
