import { LateString, type LateReader, McpError } from '../jsonrpc/index.ts'
import { toBase64 } from './encoding.ts'

/** Bytes that are there when they are asked for: a file, a response's body, a stream of Node or the Web. */
export type ByteSource = Blob | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>

export function isByteSource(value: unknown): value is ByteSource {
  if (typeof value !== 'object' || value === null) return false
  return value instanceof Blob || 'getReader' in value || Symbol.asyncIterator in value
}

/** Base64 of bytes; of a source it is made while it is sent, and only pretends to be a string until then. */
export function toSentBytes(data: Uint8Array | string | ByteSource): string {
  return isByteSource(data) ? (new LateBytes(data, base64Encoder) as unknown as string) : toBase64(data)
}

/** The same for text in UTF-8. */
export function toSentText(text: string | ByteSource): string {
  return isByteSource(text) ? (new LateBytes(text, textEncoder) as unknown as string) : text
}

/** Turns bytes into text as JSON has it. Called without bytes at the end. */
type Encode = (bytes?: Uint8Array) => string

/** Fields are private, so that a copy of a result does not copy them. */
class LateBytes extends LateString {
  readonly #source: ByteSource
  readonly #createEncoder: () => Encode

  constructor(source: ByteSource, createEncoder: () => Encode) {
    super()
    this.#source = source
    this.#createEncoder = createEncoder
  }

  read(): LateReader {
    return new SourceReader(openSource(this.#source), this.#createEncoder())
  }

  discard(): void {
    try {
      openSource(this.#source).close()
    } catch {
      // The source was read, or its reader is reading it now.
    }
  }
}

/** Three bytes become four characters. Bytes that are left over wait for the next ones. */
function base64Encoder(): Encode {
  let rest = new Uint8Array(0)
  return (bytes) => {
    if (!bytes) return toBase64(rest)
    const all = rest.length === 0 ? bytes : joined(rest, bytes)
    const whole = all.length - (all.length % 3)
    rest = all.slice(whole)
    return toBase64(all.subarray(0, whole))
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const both = new Uint8Array(first.length + second.length)
  both.set(first)
  both.set(second, first.length)
  return both
}

function textEncoder(): Encode {
  const decoder = new TextDecoder()
  return (bytes) =>
    JSON.stringify(bytes ? decoder.decode(bytes, { stream: true }) : decoder.decode()).slice(1, -1)
}

/** How many bytes are encoded at a time, however long the parts of a source are. */
const SLICE = 48 * 1024
/** A pipe carries nothing else in the middle of a message, so that a source which stops is given up. */
const MAX_SILENCE = 20_000

class SourceReader implements LateReader {
  readonly #source: OpenSource
  readonly #encode: Encode
  /** Bytes that were read and are not encoded yet. */
  #bytes: Uint8Array = new Uint8Array(0)
  #hasEnded = false
  #stop: (() => void) | undefined

  constructor(source: OpenSource, encode: Encode) {
    this.#source = source
    this.#encode = encode
  }

  async next(): Promise<string | undefined> {
    while (this.#bytes.length === 0 && !this.#hasEnded) {
      const chunk = await this.#read()
      if (chunk) this.#bytes = chunk
      else {
        this.#hasEnded = true
        return this.#encode()
      }
    }
    if (this.#hasEnded) return undefined
    const slice = this.#encode(this.#bytes.subarray(0, SLICE))
    this.#bytes = this.#bytes.subarray(SLICE)
    return slice
  }

  close(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#stop?.()
    this.#source.close()
  }

  #read(): Promise<Uint8Array | undefined> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new McpError('timeout', `Nothing came from a source of content for ${MAX_SILENCE} ms`))
      }, MAX_SILENCE)
      this.#stop = () => {
        clearTimeout(timer)
        resolve(undefined)
      }
      this.#source
        .next()
        .then(resolve, reject)
        .finally(() => clearTimeout(timer))
    })
  }
}

interface OpenSource {
  next(): Promise<Uint8Array | undefined>
  /** Closes the source at once, also in the middle of a read. */
  close(): void
}

function openSource(source: ByteSource): OpenSource {
  if (source instanceof Blob) return openSource(source.stream())
  if ('getReader' in source) {
    const reader = source.getReader()
    return {
      next: async () => (await reader.read()).value,
      close: () => void reader.cancel().catch(() => {}),
    }
  }
  const iterator = source[Symbol.asyncIterator]()
  const isStream = 'destroy' in source && typeof source.destroy === 'function'
  // The second time, such a source would give nothing, and an empty file would take the place of the full file.
  if (isStream || (iterator as unknown) === source) requireFirst(source)
  return {
    next: async () => toBytes((await iterator.next()).value),
    close() {
      // The iterator of a Node stream would wait for what is being read.
      if (isStream) (source as unknown as { destroy(): void }).destroy()
      else void iterator.return?.().catch(() => {})
    },
  }
}

const taken = /* @__PURE__ */ new WeakSet<object>()

function requireFirst(source: object): void {
  if (taken.has(source)) throw new TypeError('This stream was sent before: make a new one for each call')
  taken.add(source)
}

/** A Node stream with an encoding gives text. */
function toBytes(chunk: Uint8Array | string | undefined): Uint8Array | undefined {
  return typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk
}
