import { createRequire } from 'node:module'
import { plainHeaders, quickFetch, type QuickInit } from '@gantry/mcp/client/node'
import type { FetchLike } from '@gantry/mcp/client'
import type { Dispatcher, Pool, buildConnector } from 'undici'
import type { ArrivingResults } from './arriving-results.ts'
import { PooledAnswer } from './pooled-body.ts'
import type { Socket } from 'node:net'
import type { ConnectionOptions } from 'node:tls'

const CONNECT_MS = 10_000
/** Addresses that are remembered. Those of HTTP+SSE have a session in them, so there may be many. */
const MAX_DESTINATIONS = 1_000

/** An address taken apart, and the connections to it. */
interface Destination {
  readonly pool: Pool
  readonly path: string
  readonly origin: string
}

/** The certificates that we trust and show. */
type Certificate = Pick<ConnectionOptions, 'cert' | 'key' | 'ca' | 'servername' | 'minVersion'>

type Undici = typeof import('undici')

const require = createRequire(import.meta.url)

/** All of undici takes 5 MB more memory: fetch, WebSocket, caches and mocks. */
export function loadPools(): Pick<Undici, 'Pool' | 'buildConnector'> {
  return {
    Pool: require('undici/lib/dispatcher/pool.js') as Undici['Pool'],
    buildConnector: require('undici/lib/core/connect.js') as Undici['buildConnector'],
  }
}

/**
 * A `fetch` on undici's pools, loaded with the first request (docs/adr/0010). It has no time limits. `tls` is asked for
 * with every connection: certificates are renewed.
 */
export function createPooledFetch(arriving: ArrivingResults, tls?: () => Certificate): FetchLike {
  let destinations: Destinations | undefined
  return quickFetch((url, init) => {
    destinations ??= new Destinations(tls)
    return send(destinations.find(url), url, init, arriving)
  })
}

class Destinations {
  readonly #undici = loadPools()
  readonly #tls: (() => Certificate) | undefined
  readonly #pools = new Map<string, Pool>()
  readonly #known = new Map<string, Destination>()

  constructor(tls: (() => Certificate) | undefined) {
    this.#tls = tls
  }

  find(url: string): Destination {
    const known = this.#known.get(url)
    if (known) return known
    if (this.#known.size >= MAX_DESTINATIONS) this.#known.clear()
    const { origin, pathname, search } = new URL(url)
    const destination = { pool: this.#poolOf(origin), path: pathname + search, origin }
    this.#known.set(url, destination)
    return destination
  }

  #poolOf(origin: string): Pool {
    let pool = this.#pools.get(origin)
    if (!pool) {
      const connect = surviveEnds(this.#connector())
      pool = new this.#undici.Pool(origin, { headersTimeout: 0, bodyTimeout: 0, connect })
      this.#pools.set(origin, pool)
    }
    return pool
  }

  #connector(): buildConnector.connector {
    const { buildConnector } = this.#undici
    const tls = this.#tls
    if (!tls) return buildConnector({ timeout: CONNECT_MS })
    return (options, done) => buildConnector({ ...tls(), timeout: CONNECT_MS })(options, done)
  }
}

function send(
  { pool, path, origin }: Destination,
  url: string,
  init: QuickInit,
  arriving: ArrivingResults,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const request = {
      path,
      method: init.method as Dispatcher.HttpMethod,
      headers: plainHeaders(init),
      body: (init.body ?? null) as string | null,
    }
    pool.dispatch(request, new PooledAnswer({ url, init, arrivals: arriving.of(origin), resolve, reject }))
  })
}

/** The part of undici's parser that is needed here. */
interface Parser {
  paused: boolean
  readonly ptr: number | null
  readonly llhttp: { llhttp_resume(pointer: number): void }
  execute(chunk: Buffer): void
}

const NOTHING = Buffer.alloc(0)

/** Survives connections that end while their answer is paused, where undici 7 throws in a socket listener. */
export function surviveEnds(connect: buildConnector.connector): buildConnector.connector {
  return (options, done) =>
    connect(options, (...found) => {
      const [, socket] = found
      if (socket) {
        const readRest = (): void => readPaused(socket)
        // Our listeners come before those of undici, which adds its own when it has the socket.
        for (const event of ['end', 'error', 'close']) socket.on(event, readRest)
      }
      done(...found)
    })
}

function readPaused(socket: Socket): void {
  const parser = parserOf(socket)
  let rest: Buffer = NOTHING
  do {
    if (!goOn(parser)) return
    rest = (socket.read() as Buffer | null) ?? NOTHING
    // An empty read matters as well: it ends a body that is complete.
    parser.execute(rest)
  } while (rest.length > 0)
  goOn(parser)
}

function goOn(parser: Parser | undefined): parser is Parser {
  if (!parser?.paused || parser.ptr === null) return false
  parser.llhttp.llhttp_resume(parser.ptr)
  parser.paused = false
  return true
}

function parserOf(socket: Socket): Parser | undefined {
  const key = Object.getOwnPropertySymbols(socket).find(({ description }) => description === 'parser')
  return key && ((socket as unknown as Record<symbol, Parser | null>)[key] ?? undefined)
}
