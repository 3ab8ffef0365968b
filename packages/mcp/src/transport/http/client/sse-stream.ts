import { McpError } from '../../../jsonrpc/index.ts'
import { type Arrivals, ArrivingMessage } from '../../arrivals.ts'

/** Where a stream is, across reconnections (HTML, section 9.2; 2025-11-25, Resumability). */
export interface SseCursor {
  lastEventId: string
  /** The server's last `retry:`, in milliseconds. */
  retry: number | undefined
  /** How many events have ended so far, those without data included: a sign of life. */
  events: number
}

export function createSseCursor(): SseCursor {
  return { lastEventId: '', retry: undefined, events: 0 }
}

/** Gets the data of an event and its type, `message` unless the server named another. */
export type OnSseEvent = (data: string, type: string) => void

export interface SseParserOptions {
  onEvent: OnSseEvent
  cursor: SseCursor
  /** The largest event in UTF-16 units; `push` throws `too_large` beyond it. */
  maxLength: number
}

/** Parses one event stream. Time is linear in the input, however it is sliced and whatever ends its lines. */
export class SseParser {
  readonly #options: SseParserOptions
  // Strips a byte order mark, and joins characters that were split between chunks.
  readonly #decoder = new TextDecoder()
  /** The line that has not ended yet. Grows as a rope: searching it again for every chunk would be quadratic. */
  #partial = ''
  #data: string | undefined
  #type = ''
  #id: string
  /** The chunk before ended in CR, so a leading LF belongs to it. */
  #afterCr = false

  constructor(options: SseParserOptions) {
    this.#options = options
    this.#id = options.cursor.lastEventId
  }

  /** How much there is of the event that has not ended yet. */
  get held(): number {
    return this.#partial.length + (this.#data?.length ?? 0)
  }

  push(chunk: Uint8Array): void {
    const text = this.#normalise(this.#decoder.decode(chunk, { stream: true }))
    let end = text.indexOf('\n')
    if (end === -1) {
      this.#partial += text
      this.#checkLength()
      return
    }
    let start = 0
    if (this.#partial !== '') {
      const line = this.#partial + text.slice(0, end)
      this.#partial = ''
      this.#line(line, 0, line.length)
      start = end + 1
      end = text.indexOf('\n', start)
    }
    while (end !== -1) {
      this.#line(text, start, end)
      start = end + 1
      end = text.indexOf('\n', start)
    }
    this.#partial = text.slice(start)
    this.#checkLength()
  }

  /** CR, LF and CRLF all end a line; most streams have LF alone and pay one search for that. */
  #normalise(text: string): string {
    if (text === '') return text
    const from = this.#afterCr && text.charCodeAt(0) === LF ? 1 : 0
    this.#afterCr = text.charCodeAt(text.length - 1) === CR
    const rest = from === 0 ? text : text.slice(from)
    return rest.includes('\r') ? rest.replaceAll('\r\n', '\n').replaceAll('\r', '\n') : rest
  }

  #line(text: string, start: number, end: number): void {
    if (start === end) this.#dispatch()
    else if (text.startsWith('data:', start)) this.#addData(text.slice(valueAt(text, start + 5), end))
    else if (text.startsWith('event:', start)) this.#type = typeOf(text.slice(valueAt(text, start + 6), end))
    else this.#otherLine(text.slice(start, end))
  }

  /** Gets its line cut out: looking for a colon in the whole chunk would scan that once for every line. */
  #otherLine(line: string): void {
    const colon = line.indexOf(':')
    if (colon === -1) this.#field(line, '')
    else if (colon > 0) this.#field(line.slice(0, colon), line.slice(valueAt(line, colon + 1)))
    // and a line that begins with a colon is a comment
  }

  #field(field: string, value: string): void {
    if (field === 'data') this.#addData(value)
    else if (field === 'event') this.#type = typeOf(value)
    else if (field === 'id' && value.length <= MAX_ID && !value.includes('\0')) this.#id = value
    else if (field === 'retry' && /^[0-9]+$/.test(value)) this.#options.cursor.retry = Number(value)
  }

  #addData(value: string): void {
    this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`
    this.#checkLength()
  }

  #dispatch(): void {
    const { cursor, onEvent } = this.#options
    const data = this.#data
    const type = this.#type
    this.#data = undefined
    this.#type = ''
    cursor.lastEventId = this.#id
    cursor.events++
    if (data !== undefined) onEvent(data, type === '' ? 'message' : type)
  }

  #checkLength(): void {
    const { maxLength } = this.#options
    if (this.held <= maxLength) return
    throw new McpError('too_large', `An event of the stream is larger than ${maxLength} characters`, {
      details: { limit: maxLength },
    })
  }
}

/** Ids are sent back in a header, and servers refuse longer headers. */
const MAX_ID = 4096
const LF = 10
const CR = 13
const SPACE = 32

/** Nothing handles an event with a long type, so the type is not kept. Even a slice of it would keep the whole text. */
function typeOf(value: string): string {
  return value.length <= MAX_ID ? value : 'too long'
}

/** The first space after the colon is not part of the value. */
function valueAt(text: string, index: number): number {
  return text.charCodeAt(index) === SPACE ? index + 1 : index
}

/** Hands over chunks until the end, or until `onChunk` throws; then cancels. Waits for a promise of `onChunk`. */
export async function readChunks(
  body: ReadableStream<Uint8Array>,
  onChunk: (chunk: Uint8Array) => Promise<void> | void,
  onBegin?: (cancel: () => void) => void,
): Promise<void> {
  // Not `for await`: Safari's streams are not async iterable.
  const reader = body.getReader()
  let ended = false
  try {
    onBegin?.(() => reader.cancel().catch(() => {}))
    for (;;) {
      const { done, value } = await reader.read()
      if (done) {
        ended = true
        return
      }
      const busy = onChunk(value)
      // A body that breaks off meanwhile is not waited for.
      if (busy) await Promise.race([busy, reader.closed])
    }
  } finally {
    if (!ended) reader.cancel().catch(() => {})
    reader.releaseLock()
  }
}

/** Reads an event stream to its end. A long event goes on when there is room for it, and must not stop for long. */
export async function readEvents(
  body: ReadableStream<Uint8Array>,
  options: SseParserOptions & { arrivals: Arrivals | undefined; origin?: object | undefined },
): Promise<void> {
  const parser = new SseParser(options)
  let goOn = (): void => {}
  let cancel = (): void => {}
  let failure: McpError | undefined
  const stalled = (error: McpError): void => {
    failure = error
    cancel()
  }
  const event = new ArrivingMessage(options.arrivals, { go: () => goOn(), stalled }, options.origin)
  const onChunk = (chunk: Uint8Array): Promise<void> | void => {
    parser.push(chunk)
    if (event.has(parser.held)) return
    return new Promise<void>((resolve) => {
      goOn = resolve
    })
  }
  try {
    await readChunks(body, onChunk, (end) => {
      cancel = end
    })
  } finally {
    event.end()
  }
  if (failure) throw failure
}
