import { ApiError } from './api-error.ts'
import { ROUTES, type RouteName, type Routes } from './contract.ts'
import { getToken } from './token.ts'

type Parts = 'params' | 'query' | 'body'
type Input<Name extends RouteName> = Pick<Routes[Name], Extract<keyof Routes[Name], Parts>>
type Args<Name extends RouteName> = {} extends Input<Name> ? [] : [input: Input<Name>]
/** Routes that answer with one JSON document. */
export type JsonRoute = {
  [Name in RouteName]: Routes[Name] extends { reply: unknown } ? Name : never
}[RouteName]
export type Reply<Name extends JsonRoute> = Routes[Name]['reply']

const unauthorized = new Set<() => void>()

/** Called whenever the gateway does not know our token. */
export function onUnauthorized(listener: () => void): () => void {
  unauthorized.add(listener)
  return () => unauthorized.delete(listener)
}

/** Asks one route of the admin API. */
export async function call<Name extends JsonRoute>(name: Name, ...args: Args<Name>): Promise<Reply<Name>> {
  const response = await send(name, args[0] ?? {})
  return (await response.json()) as Reply<Name>
}

export interface SendOptions {
  readonly signal?: AbortSignal
  readonly headers?: Record<string, string>
}

/** The same for answers that are not one JSON document. */
export async function send(name: RouteName, input: object, options: SendOptions = {}): Promise<Response> {
  const { params, query, body } = input as { params?: object; query?: object; body?: unknown }
  const headers: Record<string, string> = { ...options.headers }
  const token = getToken()
  if (token !== undefined) headers.authorization = `Bearer ${token}`
  if (body !== undefined) headers['content-type'] = 'application/json'
  const { method, path } = ROUTES[name]
  const response = await fetch(fill(path, params) + search(query), {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(options.signal && { signal: options.signal }),
  }).catch((error: unknown) => {
    if (options.signal?.aborted) throw error
    throw ApiError.unreachable(error)
  })
  if (response.ok) return response
  if (response.status === 401) for (const listener of unauthorized) listener()
  throw await ApiError.from(response)
}

function fill(path: string, params: object = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String((params as Record<string, unknown>)[name])),
  )
}

function search(query: object = {}): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  const text = new URLSearchParams(pairs.map(([key, value]) => [key, String(value)])).toString()
  return text === '' ? '' : `?${text}`
}
