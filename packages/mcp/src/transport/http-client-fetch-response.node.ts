import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { pipeline, Readable, type Transform } from 'node:stream'
import { createBrotliDecompress, createUnzip } from 'node:zlib'
import { FULL_CHUNK } from './read-fairly.node.ts'

/** What is known of a response before its body has come. */
export interface ResponseHead {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly url: string
}

/** A body that has not been read yet. It is read once, in one of the two ways. */
export interface ResponseBody {
  text(): Promise<string>
  stream(): ReadableStream<Uint8Array>
  /** All of it as it came, for whoever can do without its text. */
  pieces?(): Promise<readonly Uint8Array[]>
}

/** Makes a response of a message of `node:http`. */
export function messageResponse(message: IncomingMessage, url: string): Response {
  const { statusCode: status = 0, headers } = message
  // Whatever breaks before somebody reads it is found again by the reader.
  message.on('error', () => {})
  return createResponse({ status, headers, url }, new StreamBody(message))
}

/** A response by which a `fetch` of one's own answers: a full one for errors and redirects, else a cheap one. */
export function createResponse(head: ResponseHead, body: ResponseBody): Response {
  const { status, headers } = head
  const decoded = decompressed(headers['content-encoding'], body)
  // What is no answer is rare and may be handed to an AuthProvider: that gets the real thing.
  if (status < 200 || status > 299 || status === 204 || status === 205) return fullResponse(head, decoded)
  return new QuickResponse(head, decoded) as unknown as Response
}

class StreamBody implements ResponseBody {
  readonly #source: Readable

  constructor(source: Readable) {
    this.#source = source
  }

  text(): Promise<string> {
    return readAll(this.#source)
  }

  stream(): ReadableStream<Uint8Array> {
    return toWebStream(this.#source)
  }
}

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

  text(): Promise<string> {
    this.#textUsed = true
    return this.#source.text()
  }

  /** Not a part of `Response`: see `readPieces`. */
  pieces(): Promise<readonly Uint8Array[]> | undefined {
    return this.#source.pieces?.()
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
}

function fullResponse(head: ResponseHead, body: ResponseBody): Response {
  const { status } = head
  const headers = new Headers()
  for (const [name, value] of Object.entries(head.headers)) {
    for (const one of Array.isArray(value) ? value : [value ?? '']) headers.append(name, one)
  }
  const hasBody = ![204, 205, 304].includes(status)
  if (!hasBody) body.text().catch(() => {})
  return new Response(hasBody ? body.stream() : null, { status, headers })
}

/** We ask for no compression, but some proxies compress whatever passes. */
function decompressed(encoding: string | undefined, body: ResponseBody): ResponseBody {
  const decoder = decoderFor(encoding)
  if (decoder === undefined) return body
  const source = Readable.fromWeb(body.stream() as import('node:stream/web').ReadableStream)
  return new StreamBody(pipeline(source, decoder, () => {}))
}

function decoderFor(encoding: string | undefined): Transform | undefined {
  if (encoding === 'gzip' || encoding === 'deflate') return createUnzip()
  return encoding === 'br' ? createBrotliDecompress() : undefined
}

function readAll(source: Readable): Promise<string> {
  return new Promise((resolve, reject) => {
    if (source.errored) return reject(source.errored)
    const chunks: Buffer[] = []
    source.on('data', (chunk: Buffer) => chunks.push(chunk))
    source.on('error', reject)
    source.on('end', () => {
      const text = (chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString('utf8')
      resolve(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text)
    })
  })
}

/** After a full chunk everybody else gets a turn: see `readFairly`. */
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
        source.on('end', () => controller.close())
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
