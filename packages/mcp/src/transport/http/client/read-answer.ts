import type { Cancellation, Canceller, IncomingMessage } from '../../../exchange/index.ts'
import { abortError } from '../../../exchange/plain-exchange.ts'
import {
  decodePieces,
  McpError,
  readRawResult,
  type JsonRpcRequest,
  type JsonRpcResponse,
  type ParsedMessage,
  type ReadJson,
  readResult,
} from '../../../jsonrpc/index.ts'
import { readErrorText, readPieces, readText } from './body.ts'
import { badResponse, endedWithoutAnswer, headOf, isSessionRefusal } from './errors.ts'
import { followStream } from './follow.ts'
import { mediaType, forEachMessage, unreadable } from './messages.ts'
import type { HttpClientSettings } from './options.ts'
import { createSseCursor, type OnSseEvent, type SseCursor, readEvents } from './sse-stream.ts'

export interface ReadAnswerOptions extends AnswerOptions {
  response: Response
  /** Whether the revision knows `Last-Event-ID`: those before 2026-07-28. */
  resumable: boolean
  headers: () => Record<string, string>
  /** Whether a long result may be a `ResultBody` in bytes. */
  takesBytes?: boolean | undefined
  onDetached?: ((retryMs: number | undefined) => void) | undefined
  /** The stream could not be resumed, as if its session were gone. */
  onDoubt?: (() => void) | undefined
  abort: Canceller
  settings: HttpClientSettings
}

/** After the answer a server should end the stream; doing it from here costs the connection. */
const LINGER_MS = 1_000

/** Reads the response to a request's POST until the answer has come and nothing is left open. */
export async function readAnswer(options: ReadAnswerOptions): Promise<void> {
  const { response, url, request } = options
  const type = mediaType(response)
  if (type === 'text/event-stream') return readStream(options)
  if (type === 'application/json') return readJson(options)
  const text = await readErrorText(response, options.settings.maxMessageBytes)
  throw badResponse(
    url,
    `answered ${request.method} with HTTP ${response.status} and ${type === '' ? 'no content type' : type} instead of JSON or an event stream. Check that the URL is the MCP endpoint.`,
    { status: response.status, contentType: type, body: headOf(text) },
  )
}

async function readJson(options: ReadAnswerOptions): Promise<void> {
  const { url, request, settings, response } = options
  const reader = new AnswerReader(options)
  let text: string
  try {
    const pieces = options.takesBytes ? await readPieces(response, settings.maxMessageBytes) : undefined
    const raw = pieces && readRawResult(pieces, settings.read)
    if (raw) return reader.accept(raw)
    text = pieces
      ? decodePieces(pieces, new TextDecoder())
      : await readText(response, settings.maxMessageBytes, url)
  } catch (thrown) {
    throw thrown instanceof McpError ? thrown : endedWithoutAnswer(url, request.method, thrown)
  }
  reader.read(text)
  if (reader.answered) return
  throw badResponse(url, `answered ${request.method} with a body that holds no answer to it`, {
    status: response.status,
    body: headOf(text),
  })
}

async function readStream(options: ReadAnswerOptions): Promise<void> {
  const { url, request, settings, response, abort } = options
  if (response.body === null) throw endedWithoutAnswer(url, request.method)
  let linger: ReturnType<typeof setTimeout> | undefined
  const reader = new AnswerReader({
    ...options,
    onAnswer: (answer) => {
      linger = setTimeout(() => abort.abort(), LINGER_MS)
      options.onAnswer(answer)
    },
  })
  const cursor = createSseCursor()
  const onEvent: OnSseEvent = (data, type) => {
    if (type === 'message' && data !== '') reader.read(data)
  }
  try {
    const { maxMessageBytes: maxLength, arrivals } = settings
    const { origin }: Cancellation = abort
    const broken = await readOnce(response.body, { onEvent, cursor, maxLength, arrivals, origin })
    if (!reader.answered) await resume(options, { reader, cursor, onEvent, broken })
  } finally {
    clearTimeout(linger)
  }
}

/** Resolves with what broke the connection, if it did not end in order. Rejects when nothing can be saved. */
async function readOnce(
  body: ReadableStream<Uint8Array>,
  options: Parameters<typeof readEvents>[1],
): Promise<unknown> {
  try {
    await readEvents(body, options)
    return undefined
  } catch (thrown) {
    if (thrown instanceof McpError) throw thrown
    return thrown
  }
}

/** Goes on with a stream that ended early, where the revision and the server allow it; fails at once if not. */
async function resume(
  options: ReadAnswerOptions,
  stream: { reader: AnswerReader; cursor: SseCursor; onEvent: OnSseEvent; broken: unknown },
): Promise<void> {
  const { url, request, abort, settings } = options
  const { reader, cursor, onEvent } = stream
  if (abort.aborted) throw abortError(abort)
  if (!options.resumable || cursor.lastEventId === '' || settings.reconnect.maxAttempts === 0) {
    throw endedWithoutAnswer(url, request.method, stream.broken)
  }
  // A stream that ends in order after `retry:` was ended by the server on purpose. A stream that broke off was not.
  if (stream.broken === undefined && cursor.retry !== undefined) options.onDetached?.(cursor.retry)
  const isDone = (): boolean => reader.answered
  const end = await followStream({
    ...options,
    cursor,
    onEvent,
    waitFirst: true,
    isDone,
    signal: abort.signal,
  })
  if (end.type === 'done') return
  if (end.type === 'refused' && isSessionRefusal(end.error)) options.onDoubt?.()
  // Without a status it was not the server that refused: what came could not be read.
  if (end.type === 'refused' && end.status === undefined) throw end.error
  throw endedWithoutAnswer(url, `${request.method}, and could not be resumed`, end.error)
}

interface AnswerOptions {
  url: string
  read: ReadJson
  request: JsonRpcRequest
  onAnswer: (response: JsonRpcResponse) => void
  /** Gets notifications and requests of the server, also those that come after the answer. */
  onMessage: (message: IncomingMessage) => void
  report: (describe: () => McpError) => void
}

/** Sorts the messages for one request: its answer, notifications, and messages that do not belong to it. */
class AnswerReader {
  readonly #options: AnswerOptions
  #answered = false

  constructor(options: AnswerOptions) {
    this.#options = options
  }

  get answered(): boolean {
    return this.#answered
  }

  /** Throws when the answer itself is malformed: there will be no other. */
  read(text: string): void {
    const result = readResult(text, this.#options.read)
    if (result) return this.accept(result)
    forEachMessage(text, this.#options.read, (parsed) => this.#accept(parsed, text))
  }

  #accept(parsed: ParsedMessage, text: string): void {
    const { url, request, report, onMessage } = this.#options
    if (parsed.kind === 'response') {
      this.accept(parsed.message)
    } else if (parsed.kind !== 'invalid') {
      onMessage(parsed.message)
    } else if (parsed.isResponse && parsed.reply.id === request.id && !this.#answered) {
      const why = parsed.reply.error.message
      throw badResponse(url, `answered ${request.method} with a malformed response (${why})`, {
        body: headOf(text),
      })
    } else {
      report(() => unreadable(url, text, parsed.reply.error.message))
    }
  }

  accept(response: JsonRpcResponse): void {
    const { url, request, report, onAnswer } = this.#options
    // An error without an id is about this request: nothing else was sent on this connection.
    if (response.id !== request.id && response.id !== null) {
      report(() => badResponse(url, `answered a request with the unknown id ${JSON.stringify(response.id)}`))
    } else if (this.#answered) {
      report(() => badResponse(url, `answered ${request.method} twice`))
    } else {
      this.#answered = true
      onAnswer(response)
    }
  }
}
