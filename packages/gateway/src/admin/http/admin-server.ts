import type { IncomingMessage, ServerResponse } from 'node:http'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { splitTarget } from '@gantry/mcp/foreign'
import { drainUnreadBody } from '@gantry/mcp/server/node'
import { ApiError } from '../api-error.ts'
import { readTexts } from '../check-request.ts'
import { ROUTES, type RouteName, type StreamItem } from '../contract.ts'
import type { Caller, Handlers } from '../handlers.ts'
import { dispatch, toApiError, type AnyRequest } from '../local-api.ts'
import type { AppViews } from '../playground/app-views.ts'
import type { AdminGate } from './admin-gate.ts'
import type { ConsoleCookie } from './console-cookie.ts'
import type { ConsolePeople } from './console-people.ts'
import { acceptedEncodings, packed } from './compress.ts'
import { type ConsoleFiles, SECURITY_HEADERS } from './console-files.ts'
import { narrowed, requireRole, withoutWords } from './roles.ts'
import { matchRoute } from './router.ts'
import { jsonReader } from '@gantry/mcp/exchange'

/** A link to it sends people to the identity provider. */
const SIGN_IN = '/console/sign-in'
const SHORTEST_LIFE = 5_000
const LONGEST_TIMER = 2 ** 31 - 1

export interface AdminServerOptions {
  readonly handlers: Handlers
  readonly gate: AdminGate
  readonly cookie: ConsoleCookie
  readonly people: ConsolePeople
  /** Undefined when the console is switched off. */
  readonly console: ConsoleFiles | undefined
  readonly views: AppViews
  /** The last thing that happens to any text on its way out. */
  toJson(value: unknown): string
  onError(error: unknown): void
}

export class AdminServer {
  readonly #options: AdminServerOptions
  /** Streams, by the requests that opened them. */
  readonly #open = new Map<ServerResponse, { request: IncomingMessage; role: Caller['role'] }>()

  constructor(options: AdminServerOptions) {
    this.#options = options
  }

  /** Answers what lies under `/api/` and `/console/`; false leaves it to others. */
  readonly handle = (request: IncomingMessage, response: ServerResponse, path: string): boolean => {
    const isConsole = path === '/console' || path.startsWith('/console/')
    if (!isConsole && path !== '/api' && !path.startsWith('/api/')) return false
    if (isConsole && !this.#options.console) return false
    this.#answer(request, response, path, isConsole)
      .catch((thrown) => this.#refuse(response, thrown))
      .catch(() => response.destroy())
    return true
  }

  async #answer(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    isConsole: boolean,
  ): Promise<void> {
    this.#options.gate.checkOrigin(request)
    if (isConsole) {
      if (request.method !== 'GET' && request.method !== 'HEAD') throw wrongMethod(['GET'])
      if (path === SIGN_IN) return this.#options.people.begin(response)
      if (this.#options.views.serve(path, request, response)) return
      return this.#options.console!.serve(path, request, response)
    }
    // A caller without access learns nothing, not even which routes there are.
    const caller = await this.#options.gate.admit(request)
    const match = matchRoute(request.method ?? 'GET', path)
    requireRole(match.type === 'found' ? match.name : undefined, caller)
    if (match.type === 'wrong-method') throw wrongMethod(match.allowed)
    if (match.type === 'none') {
      throw new ApiError('not_found', `There is nothing at ${path}`, {
        fix: 'The OpenAPI document of the admin API lists every route.',
      })
    }
    const aborted = new AbortController()
    response.once('close', () => aborted.abort())
    if (ROUTES[match.name].answers !== undefined) this.#watch(request, response, caller)
    const query = Object.fromEntries(splitTarget(request.url ?? '/').query)
    const body = await readBody(request)
    const lastEventId = request.headers['last-event-id']
    await this.#run(match.name, response, {
      params: readTexts(match.name, 'params', match.params),
      query: narrowed(match.name, readTexts(match.name, 'query', query) as Record<string, unknown>, caller),
      body,
      caller,
      signal: aborted.signal,
      ...(typeof lastEventId === 'string' && { lastEventId }),
    })
  }

  async #run(name: RouteName, response: ServerResponse, request: AnyRequest): Promise<void> {
    const { handlers, toJson } = this.#options
    const answer = dispatch(handlers, name, request)
    const shown = (value: unknown): unknown => withoutWords(value, request.caller)
    switch (ROUTES[name].answers) {
      case 'events':
        return writeEvents(response, answer as AsyncIterable<StreamItem<{ type: string }>>, (event) =>
          toJson(shown(event)),
        )
      case 'lines':
        return writeLines(response, answer as AsyncIterable<unknown>, toJson)
      default:
        return this.#json(
          response,
          200,
          shown(await answer),
          await this.#sessionHeaders(name, response.req, request),
        )
    }
  }

  /** Signing in sets the cookie, and signing out removes it. */
  async #sessionHeaders(
    name: RouteName,
    request: IncomingMessage,
    { caller: { session } }: AnyRequest,
  ): Promise<Record<string, string>> {
    const { cookie, people } = this.#options
    if (name === 'signOut') {
      if (session) await people.leave(session)
      return { 'set-cookie': cookie.remove(request) }
    }
    if (name !== 'openSession') return {}
    const made = await cookie.create(request, session && `Session ${session.id}`)
    return made === undefined ? {} : { 'set-cookie': made }
  }

  async #json(
    response: ServerResponse,
    status: number,
    value: unknown,
    headers: Record<string, string> = {},
  ): Promise<void> {
    if (response.destroyed) return
    const { body, headers: form } = await packed(this.#options.toJson(value), response.req)
    response.writeHead(status, {
      ...SECURITY_HEADERS,
      'content-type': 'application/json',
      'cache-control': 'no-store',
      ...form,
      ...headers,
    })
    response.end(body)
  }

  #watch(request: IncomingMessage, response: ServerResponse, caller: Caller): void {
    this.#open.set(response, { request, role: caller.role })
    response.once('close', () => this.#open.delete(response))
    endAtExpiry(response, caller)
  }

  /** Ends what is open to callers who are not let in any more. */
  async recheck(): Promise<void> {
    const check = async (response: ServerResponse): Promise<void> => {
      const { request, role } = this.#open.get(response)!
      const now = await this.#options.gate.admit(request).catch(() => undefined)
      // The content of a stream was chosen for the role that the caller had.
      if (now === undefined || now.role !== role) response.destroy()
    }
    await Promise.all([...this.#open.keys()].map(check))
  }

  async #refuse(response: ServerResponse, thrown: unknown): Promise<void> {
    const error = toApiError(thrown)
    if (error.problem.code === 'internal') this.#options.onError(error.cause)
    if (response.headersSent) return void response.destroy()
    drainUnreadBody(response.req, response)
    const headers: Record<string, string> = {}
    if (error.status === 401) headers['www-authenticate'] = 'Bearer realm="gantry admin"'
    if (error.status === 405) headers.allow = String(error.problem.details?.allow)
    await this.#json(response, error.status, { error: error.problem }, headers)
  }
}

/** A stream that is open for long ends with the token that opened it. */
function endAtExpiry(response: ServerResponse, { auth }: Caller): void {
  if (auth?.expiresAt === undefined) return
  const left = Math.max(auth.expiresAt - Date.now(), SHORTEST_LIFE)
  const timer = setTimeout(() => response.destroy(), Math.min(left, LONGEST_TIMER)).unref()
  response.once('close', () => clearTimeout(timer))
}

function wrongMethod(allowed: readonly string[]): ApiError {
  const allow = allowed.join(', ')
  return new ApiError('method_not_allowed', `Only ${allow} can be used here`, { details: { allow } })
}

/** Sends values as JSON lines, no faster than they are read. */
async function writeLines(
  response: ServerResponse,
  values: AsyncIterable<unknown>,
  toJson: (value: unknown) => string,
): Promise<void> {
  const isPacked = acceptedEncodings(response.req.headers['accept-encoding']).has('gzip')
  response.writeHead(200, {
    ...SECURITY_HEADERS,
    'content-type': 'application/jsonl; charset=utf-8',
    'content-disposition': 'attachment; filename="exchanges.jsonl"',
    'cache-control': 'no-store',
    ...(isPacked && { 'content-encoding': 'gzip' }),
    vary: 'accept-encoding',
  })
  const lines = Readable.from(linesOf(values, toJson))
  await (isPacked ? pipeline(lines, createGzip(), response) : pipeline(lines, response)).catch((error) => {
    // The reader went away; anything else is a fault.
    if (!response.destroyed) throw error
  })
}

async function* linesOf(
  values: AsyncIterable<unknown>,
  toJson: (value: unknown) => string,
): AsyncGenerator<string> {
  for await (const value of values) yield `${toJson(value)}\n`
}

const KEEP_ALIVE = 15_000
/** A reader this far behind is cut off; it comes back with `Last-Event-ID` and goes on. */
const MAX_BEHIND = 4 * 1024 * 1024

/**
 * Sends events as they come, until there are no more or the reader is gone. Not compressed: that would hold them up.
 */
async function writeEvents(
  response: ServerResponse,
  events: AsyncIterable<StreamItem<{ type: string }>>,
  toJson: (value: unknown) => string,
): Promise<void> {
  const iterator = events[Symbol.asyncIterator]()
  // The first event decides between a stream and an error, which has a status.
  let next = await iterator.next()
  response.writeHead(200, {
    ...SECURITY_HEADERS,
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  })
  response.flushHeaders()
  const keepAlive = setInterval(() => response.write(':\n\n'), KEEP_ALIVE)
  const closed = once(response, 'close').then(() => iterator.return?.())
  closed.catch(() => {})
  try {
    while (!next.done && !response.destroyed) {
      const { id, event } = next.value
      const named = id === undefined ? '' : `id: ${id}\n`
      // Measured before the next event is written: one long result does not mean that the reader has stopped.
      if (response.writableLength > MAX_BEHIND) return void response.destroy()
      response.write(`${named}event: ${event.type}\ndata: ${toJson(event)}\n\n`)
      next = await iterator.next()
    }
    response.end()
  } finally {
    clearInterval(keepAlive)
    await iterator.return?.()
  }
}

const readJson = jsonReader('source')

/** Configurations and pasted descriptions are the largest things that are sent here. */
const MAX_BYTES = 8 * 1024 * 1024

/** The JSON of a request; undefined when there is none. */
export async function readBody(request: IncomingMessage): Promise<unknown> {
  if (request.method === 'GET' || request.method === 'HEAD') return undefined
  const announced = Number(request.headers['content-length'] ?? 0)
  if (announced > MAX_BYTES) throw tooLarge()
  const chunks: Buffer[] = []
  let size = 0
  // The request stays alive when it is too large, so that its sender can be told.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_BYTES) throw tooLarge()
    chunks.push(chunk)
  }
  if (size === 0) return undefined
  // A form of another site cannot send this type without asking first, which it is not allowed to.
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) {
    throw new ApiError('bad_request', 'The body has to be JSON', {
      fix: 'Send the header "Content-Type: application/json".',
    })
  }
  try {
    return readJson(Buffer.concat(chunks).toString('utf8'))
  } catch (error) {
    throw new ApiError('bad_request', `The body cannot be read: ${(error as Error).message}`, {
      cause: error,
    })
  }
}

function tooLarge(): ApiError {
  return new ApiError('too_large', `The body is larger than ${MAX_BYTES / 1024 / 1024} MB`)
}
