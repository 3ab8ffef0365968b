import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { pipeline, type Readable, type Transform } from 'node:stream'
import { createBrotliDecompress, createUnzip } from 'node:zlib'
import { FULL_CHUNK } from './read-fairly.node.ts'

/** Makes a response of a message: a full one for errors and redirects, else one that costs little. */
export function toResponse(message: IncomingMessage, url: string): Response {
  const status = message.statusCode ?? 0
  const source = decompressed(message)
  // Whatever breaks before somebody reads it is found again by the reader.
  source.on('error', () => {})
  // What is no answer is rare and may be handed to an AuthProvider: that gets the real thing.
  if (status < 200 || status > 299 || status === 204 || status === 205) return fullResponse(message, source)
  return new NodeResponse(message, source, url) as unknown as Response
}

/** The part of a 2xx `Response` that the HTTP transports use, made only as far as it is used. */
class NodeResponse {
  readonly ok = true
  readonly type = 'default'
  readonly status: number
  readonly url: string
  readonly headers: NodeHeaders
  readonly #source: Readable
  #body: ReadableStream<Uint8Array> | undefined
  #textUsed = false

  constructor(message: IncomingMessage, source: Readable, url: string) {
    this.status = message.statusCode ?? 0
    this.url = url
    this.headers = new NodeHeaders(message.headers)
    this.#source = source
  }

  get body(): ReadableStream<Uint8Array> {
    this.#body ??= toWebStream(this.#source)
    return this.#body
  }

  get bodyUsed(): boolean {
    return this.#textUsed
  }

  text(): Promise<string> {
    this.#textUsed = true
    return readAll(this.#source)
  }
}

class NodeHeaders {
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

function fullResponse(message: IncomingMessage, source: Readable): Response {
  const status = message.statusCode ?? 0
  const headers = new Headers()
  for (const [name, value] of Object.entries(message.headers)) {
    for (const one of Array.isArray(value) ? value : [value ?? '']) headers.append(name, one)
  }
  const hasBody = ![204, 205, 304].includes(status)
  if (!hasBody) source.resume()
  return new Response(hasBody ? toWebStream(source) : null, { status, headers })
}

/** We ask for no compression, but some proxies compress whatever passes. */
function decompressed(message: IncomingMessage): Readable {
  const decoder = decoderFor(message.headers['content-encoding'])
  return decoder === undefined ? message : pipeline(message, decoder, () => {})
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
