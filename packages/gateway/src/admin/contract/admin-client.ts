import type { ApiProblem } from './common.ts'
import { readEvents } from './read-events.ts'
import { ROUTES, type RouteName, type Routes } from './routes.ts'

/** Names of routes that answer with one JSON value, and of routes that stream events. */
export type CallName = {
  [Name in RouteName]: Routes[Name] extends { reply: unknown } ? Name : never
}[RouteName]
export type StreamName = {
  [Name in RouteName]: Routes[Name] extends { stream: unknown } ? Name : never
}[RouteName]

type Part<Route, Key extends string> = Route extends { [K in Key]: infer Value }
  ? object extends Value
    ? { readonly [K in Key]?: Value }
    : { readonly [K in Key]: Value }
  : unknown

/** The input of a route: `params`, `query` and `body`. */
export type RouteInput<Name extends RouteName> = Part<Routes[Name], 'params'> &
  Part<Routes[Name], 'query'> &
  Part<Routes[Name], 'body'>

export type RouteReply<Name extends CallName> = Routes[Name] extends { reply: infer Reply } ? Reply : never
export type RouteEvent<Name extends StreamName> = Routes[Name] extends { stream: infer Event } ? Event : never

export interface CallOptions {
  readonly signal?: AbortSignal | undefined
}

export interface StreamOptions extends CallOptions {
  /** The `id` of the last event that arrived, to go on after it. */
  readonly lastEventId?: string | undefined
}

export interface StreamItem<Event> {
  readonly id: string | undefined
  readonly event: Event
}

export interface AdminApi {
  call<Name extends CallName>(
    name: Name,
    input: RouteInput<Name>,
    options?: CallOptions,
  ): Promise<RouteReply<Name>>
  stream<Name extends StreamName>(
    name: Name,
    input: RouteInput<Name>,
    options?: StreamOptions,
  ): AsyncIterable<StreamItem<RouteEvent<Name>>>
}

export class AdminError extends Error {
  readonly status: number
  readonly problem: ApiProblem

  constructor(status: number, problem: ApiProblem) {
    super(problem.message)
    this.name = 'AdminError'
    this.status = status
    this.problem = problem
  }
}

export interface AdminClientOptions {
  /** The URL of the gateway, without a path; empty for the page's own origin. */
  readonly url: string
  /** Undefined where something else says who asks, such as a cookie. */
  readonly token: string | undefined
  readonly fetch?: typeof fetch
  /** Reads and writes JSON in the place of `JSON`, such as to keep numbers exact. */
  readonly json?: { parse(text: string): unknown; stringify(value: unknown): string }
}

export interface AdminClient extends AdminApi {
  /** The response itself, for routes that answer with lines. Throws `AdminError` when the gateway refuses. */
  request<Name extends RouteName>(
    name: Name,
    input: RouteInput<Name>,
    options?: CallOptions,
  ): Promise<Response>
}

/**
 * Talks to a gateway over HTTP.
 *
 * @example
 * const api = createAdminClient({ url: 'http://127.0.0.1:7332', token })
 * const { targets } = await api.call('targets', {})
 */
export function createAdminClient(options: AdminClientOptions): AdminClient {
  const parse = (text: string): unknown => (options.json ?? JSON).parse(text)
  return {
    request: (name, input, { signal } = {}) => send(options, name, input as AnyInput, { signal }),
    async call(name, input, { signal } = {}) {
      const response = await send(options, name, input as AnyInput, { signal })
      return parse(await response.text()) as never
    },
    async *stream(name, input, { signal, lastEventId } = {}) {
      const headers: Record<string, string> = { accept: 'text/event-stream' }
      if (lastEventId !== undefined) headers['last-event-id'] = lastEventId
      const response = await send(options, name, input as AnyInput, { signal, headers })
      for await (const { id, data } of readEvents(response.body!)) {
        yield { id, event: parse(data) as never }
      }
    },
  }
}

interface AnyInput {
  readonly params?: Readonly<Record<string, string | number>>
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: unknown
}

/** The path and query of a request, for links to exports and the like. */
export function routeUrl<Name extends RouteName>(name: Name, input: RouteInput<Name>): string {
  const { params = {}, query = {} } = input as AnyInput
  const path = ROUTES[name].path.replace(/\{(\w+)\}/g, (_, key: string) =>
    encodeURIComponent(String(params[key])),
  )
  const search = new URLSearchParams()
  for (const [key, value] of Object.entries(query)) if (value !== undefined) search.set(key, String(value))
  return search.size > 0 ? `${path}?${search}` : path
}

async function send(
  options: AdminClientOptions,
  name: RouteName,
  input: AnyInput,
  init: { signal?: AbortSignal | undefined; headers?: Record<string, string> },
): Promise<Response> {
  const headers: Record<string, string> = { ...init.headers }
  if (options.token !== undefined) headers.authorization = `Bearer ${options.token}`
  if (input.body !== undefined) headers['content-type'] = 'application/json'
  const response = await (options.fetch ?? fetch)(options.url + routeUrl(name, input as never), {
    method: ROUTES[name].method,
    headers,
    ...(input.body !== undefined && { body: (options.json ?? JSON).stringify(input.body) }),
    ...(init.signal && { signal: init.signal }),
    credentials: 'omit',
    cache: 'no-store',
  })
  if (!response.ok) throw new AdminError(response.status, await problemOf(response))
  return response
}

async function problemOf(response: Response): Promise<ApiProblem> {
  try {
    return ((await response.json()) as { error: ApiProblem }).error
  } catch {
    return { code: 'unavailable', message: `The gateway answered with HTTP ${response.status}` }
  }
}
