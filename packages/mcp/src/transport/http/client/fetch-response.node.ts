import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { pipeline, Readable, type Transform } from 'node:stream'
import { createBrotliDecompress, createUnzip } from 'node:zlib'
import { McpError } from '../../../jsonrpc/index.ts'
import type { ArrivalReader, ArrivingMessage } from '../../arrivals.ts'
import { discardStream } from './body.ts'
import { displayUrl } from './errors.ts'

/** A chunk of this size means that there is more. */
const FULL_CHUNK = 32 * 1024

/** The head of a response. */
export interface ResponseHead {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly url: string
}

/** A body that has not been read yet. It is read once, in one of the two ways. */
export interface ResponseBody {
  /** The whole text; undefined, and nothing is read any more, when it has more than `limit` bytes. */
  textWithin(limit: number): Promise<string | undefined>
  stream(): ReadableStream<Uint8Array>
  /** The whole body as it came, for a reader that does without its text. Limited like the text. */
  piecesWithin?(limit: number): Promise<readonly Uint8Array[] | undefined>
  /** Gives room to what it decodes to. */
  arriving?(reader: ArrivalReader): ArrivingMessage
}

/** The text of a whole body, without a byte order mark. Throws when it is longer than a string may be. */
export function decodeBody(chunks: readonly Buffer[]): string {
  const [first] = chunks
  const text = (first && chunks.length === 1 ? first : Buffer.concat(chunks)).toString('utf8')
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}

/** Makes a response of a message of `node:http`. Throws when no response can be made of it. */
export function messageResponse(message: IncomingMessage, url: string): Response {
  const { statusCode: status = 0, headers } = message
  // The reader gets an error that happened before it began.
  message.on('error', () => {})
  return createResponse({ status, headers, url }, new StreamBody(message))
}

/** The response of our own `fetch`: full for errors and redirects, else cheap. Throws for an unknown status. */
export function createResponse(head: ResponseHead, body: ResponseBody): Response {
  const { status, headers, url } = head
  if (status < 200 || status > 599) {
    const text = `${displayUrl(url)} answered with the HTTP status ${status}, which does not exist`
    throw new McpError('bad_response', text, { details: { status, url: displayUrl(url) } })
  }
  const decoding = decodingOf(headers['content-encoding'])
  const isError = status > 299
  if (status === 204 || status === 205 || status === 304 || (isError && decoding.isUnknown)) {
    return emptyResponse(head, body)
  }
  if (decoding.isUnknown) {
    const text = `${displayUrl(url)} answered with the content encoding "${headers['content-encoding']}", which we do not know`
    throw new McpError('bad_response', text, { details: { status, url: displayUrl(url) } })
  }
  const decoded = decompressed(decoding, body)
  // An error may be handed to an AuthProvider, which may use everything that a `Response` has.
  if (isError) return new Response(decoded.stream(), { status, headers: toHeaders(headers) })
  return new QuickResponse(head, decoded) as unknown as Response
}

class StreamBody implements ResponseBody, ArrivalReader {
  readonly #source: Readable
  readonly #message: ArrivingMessage | undefined

  constructor(source: Readable, encoded?: ResponseBody) {
    this.#source = source
    this.#message = encoded?.arriving?.(this)
  }

  go(): void {
    this.#source.resume()
  }

  stalled(error: McpError): void {
    this.#source.destroy(error)
  }

  textWithin(limit: number): Promise<string | undefined> {
    return readAll(this.#source, limit, this.#message)
  }

  stream(): ReadableStream<Uint8Array> {
    return toWebStream(this.#source)
  }
}

/** The most bytes that `text()` reads: the default length of a message. */
const MAX_TEXT_BYTES = 64 * 1024 * 1024

/** The part of a 2xx `Response` that the HTTP transports use, made only as far as it is used. */
class QuickResponse {
  readonly ok = true
  readonly type = 'default'
  readonly status: number
  readonly url: string
  readonly headers: QuickHeaders
  readonly #source: ResponseBody
  #body: ReadableStream<Uint8Array> | undefined
  #textUsed = false

  constructor({ status, headers, url }: ResponseHead, source: ResponseBody) {
    this.status = status
    this.url = url
    this.headers = new QuickHeaders(headers)
    this.#source = source
  }

  get body(): ReadableStream<Uint8Array> {
    this.#body ??= this.#source.stream()
    return this.#body
  }

  get bodyUsed(): boolean {
    return this.#textUsed
  }

  /** For users of `createNodeFetch`; the transports know their own limit. */
  async text(): Promise<string> {
    const text = await this.textWithin(MAX_TEXT_BYTES)
    if (text !== undefined) return text
    throw new McpError('too_large', `The answer of ${displayUrl(this.url)} is too large`, {
      details: { url: displayUrl(this.url), limit: MAX_TEXT_BYTES },
    })
  }

  /** Not a part of `Response`: see `readText`. */
  textWithin(limit: number): Promise<string | undefined> {
    this.#textUsed = true
    return this.#source.textWithin(limit)
  }

  /** Not a part of `Response`: see `readPieces`. */
  piecesWithin(limit: number): Promise<readonly Uint8Array[] | undefined> | undefined {
    return this.#source.piecesWithin?.(limit)
  }
}

class QuickHeaders {
  readonly #headers: IncomingHttpHeaders

  constructor(headers: IncomingHttpHeaders) {
    this.#headers = headers
  }

  get(name: string): string | null {
    const value = this.#headers[name.toLowerCase()]
    return Array.isArray(value) ? value.join(', ') : (value ?? null)
  }

  has(name: string): boolean {
    return this.#headers[name.toLowerCase()] !== undefined
  }

  [Symbol.iterator](): IterableIterator<[string, string]> {
    return toHeaders(this.#headers)[Symbol.iterator]()
  }
}

/** Responses that have no body because of their status, or no body that can be decoded. Bytes that come are dropped. */
function emptyResponse({ status, headers }: ResponseHead, body: ResponseBody): Response {
  void discardStream(body.stream())
  return new Response(null, { status, headers: toHeaders(headers) })
}

function toHeaders(from: IncomingHttpHeaders): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(from)) {
    for (const one of Array.isArray(value) ? value : [value ?? '']) {
      try {
        headers.append(name, one)
      } catch {
        // Characters that no header may have. We never write them.
      }
    }
  }
  return headers
}

/** We ask for no compression, but some proxies compress whatever passes. */
function decompressed({ decoders }: Decoding, body: ResponseBody): ResponseBody {
  if (decoders.length === 0) return body
  const source = Readable.fromWeb(body.stream() as import('node:stream/web').ReadableStream)
  const decoded = pipeline([source, ...decoders], () => {}) as unknown as Transform
  return new StreamBody(decoded, body)
}

interface Decoding {
  readonly decoders: readonly Transform[]
  /** Whether there is an encoding that we do not know. */
  readonly isUnknown: boolean
}

/** No honest server compresses a body more often. */
const MOST_ENCODINGS = 2

/** The streams that decode a body, the last encoding first (RFC 9110, 8.4). Names of encodings ignore case. */
function decodingOf(header: string | undefined): Decoding {
  if (header === undefined) return PLAIN
  const names = header.split(',').map((name) => name.trim().toLowerCase())
  const encodings = names.filter((name) => name !== '' && name !== 'identity').reverse()
  const isUnknown =
    encodings.length > MOST_ENCODINGS || !encodings.every((name) => Object.hasOwn(DECODERS, name))
  return { decoders: isUnknown ? [] : encodings.map((name) => DECODERS[name]!()), isUnknown }
}

const PLAIN: Decoding = { decoders: [], isUnknown: false }

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createUnzip,
  'x-gzip': createUnzip,
  deflate: createUnzip,
  br: createBrotliDecompress,
}

function readAll(source: Readable, limit: number, message?: ArrivingMessage): Promise<string | undefined> {
  return new Promise<string | undefined>((resolve, reject) => {
    if (source.errored) return reject(source.errored)
    const chunks: Buffer[] = []
    let bytes = 0
    source.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > limit) {
        resolve(undefined)
        source.destroy()
        return
      }
      chunks.push(chunk)
      if (message?.has(bytes) === false) source.pause()
    })
    source.on('error', reject)
    source.on('end', () => {
      try {
        resolve(decodeBody(chunks))
      } catch (error) {
        reject(error)
      }
    })
  }).finally(() => message?.end())
}

/** After a full chunk other work gets a turn: see `readFairly`. */
function toWebStream(source: Readable): ReadableStream<Uint8Array> {
  let isFlowing = false
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        if (source.errored) return controller.error(source.errored)
        source.on('data', (chunk: Buffer) => {
          isFlowing = chunk.length >= FULL_CHUNK
          if (isFlowing) source.pause()
          controller.enqueue(chunk)
          if ((controller.desiredSize ?? 0) <= 0) source.pause()
        })
        source.on('end', () => {
          if (!source.errored) controller.close()
        })
        source.on('error', (error) => controller.error(error))
      },
      pull: () => {
        if (isFlowing) setImmediate(() => source.resume())
        else source.resume()
      },
      cancel: () => {
        source.removeAllListeners('data').removeAllListeners('end').destroy()
      },
    },
    // A few chunks may wait, so that the socket is not stopped and started for each of them.
    { highWaterMark: 4 },
  )
}
